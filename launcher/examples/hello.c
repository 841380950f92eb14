/* The program of each example project: every PE adds one to a counter on PE 0. */

#include <shmem.h>
#include <stdio.h>

static long here;

int main(void) {
    shmem_init();
    shmem_long_atomic_inc(&here, 0);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) printf("%ld of %d PEs are here\n", here, shmem_n_pes());
    shmem_finalize();
    return 0;
}
