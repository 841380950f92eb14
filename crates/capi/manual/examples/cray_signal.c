#include <inttypes.h>
#include <shmemx.h>
#include <stdio.h>

static int data;
static uint64_t ready;

int main(void) {
    shmem_init();
    int wrong = 0;
    if (shmem_my_pe() == 0) {
        int number = 42;
        shmemx_int_put_signal(&data, &number, 1, &ready, 9, 1);
    } else {
        uint64_t seen = shmem_signal_wait_until(&ready, SHMEM_CMP_NE, 0);
        printf("PE 1 has %d with signal %" PRIu64 "\n", data, seen);
        wrong = data != 42 || seen != 9;
    }
    shmem_finalize();
    return wrong;
}
