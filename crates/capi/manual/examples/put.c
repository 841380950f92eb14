#include <shmem.h>
#include <stdio.h>

static int received[3];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    int numbers[3] = {10 * me, 10 * me + 1, 10 * me + 2};

    shmem_int_put(received, numbers, 3, (me + 1) % npes);
    shmem_barrier_all(); /* completes the puts of all PEs */

    int from = (me + npes - 1) % npes;
    printf("PE %d received %d %d %d\n", me, received[0], received[1], received[2]);
    int right = received[0] == 10 * from && received[2] == 10 * from + 2;
    shmem_finalize();
    return right ? 0 : 1;
}
