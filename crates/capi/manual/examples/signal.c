#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>

static int first[2], second[2];
static uint64_t ready;

int main(void) {
    shmem_init();
    int wrong = 0;
    if (shmem_my_pe() == 0) {
        int a[2] = {1, 2}, b[2] = {3, 4};
        shmem_int_put(first, a, 2, 1);
        shmem_int_put(second, b, 2, 1);
        shmem_fence(); /* both before the signal */
        shmem_signal_set(&ready, 7, 1);
    } else {
        shmem_signal_wait_until(&ready, SHMEM_CMP_NE, 0);
        uint64_t seen = shmem_signal_fetch(&ready);
        printf("PE 1 has %d %d and %d %d; the signal is %" PRIu64 "\n", first[0], first[1], second[0], second[1], seen);
        wrong = first[1] != 2 || second[1] != 4 || seen != 7;
    }
    shmem_finalize();
    return wrong;
}
