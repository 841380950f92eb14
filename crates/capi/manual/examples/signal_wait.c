#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>

static int products[3];
static uint64_t count;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), wrong = 0;
    if (me != 0) {
        int product = 10 * me;
        shmem_int_put_signal(&products[me], &product, 1, &count, 1, SHMEM_SIGNAL_ADD, 0);
    } else {
        uint64_t seen = shmem_signal_wait_until(&count, SHMEM_CMP_GE, 2);
        printf("PE 0 has %d %d after %" PRIu64 " signals\n", products[1], products[2], seen);
        wrong = products[1] != 10 || products[2] != 20 || seen != 2;
    }
    shmem_finalize();
    return wrong;
}
