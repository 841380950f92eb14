#include <shmem.h>
#include <stdio.h>

static long mine[2], sum[2];

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    mine[0] = me;
    mine[1] = me + 1;
    int failed = shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, mine, 2);
    failed |= shmem_long_max_reduce(SHMEM_TEAM_WORLD, mine, mine, 2); /* in place */
    if (me == 0)
        printf("sum %ld %ld, largest %ld %ld\n", sum[0], sum[1], mine[0], mine[1]);
    int right = !failed && sum[0] == 6 && sum[1] == 10 && mine[0] == 3 && mine[1] == 4;
    shmem_finalize();
    return right ? 0 : 1;
}
