#include <shmem.h>
#include <stdio.h>

static long numbers[2];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
    numbers[0] = 100 * me;
    numbers[1] = 100 * me + 1;
    shmem_barrier_all(); /* the numbers are there before a PE reads them */

    long seen[2];
    shmem_long_get(seen, numbers, 2, next);
    printf("PE %d sees %ld %ld of PE %d\n", me, seen[0], seen[1], next);
    shmem_finalize();
    return seen[0] == 100 * next && seen[1] == 100 * next + 1 ? 0 : 1;
}
