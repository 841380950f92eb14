#include <shmemx.h>
#include <stdio.h>

static int mine, sum, blocks[5];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), numbers[4] = {1, 2, 3, 4};
    mine = me;
    shmemx_int_sum_inscan(SHMEM_TEAM_WORLD, &sum, &mine, 1);
    if (me == 0)
        shmemx_int_ibput(blocks, numbers, 3, 2, 2, 2, 2);
    shmem_barrier_all();
    if (me == 2)
        printf("PE 2: sum %d, blocks %d %d %d %d %d\n", sum, blocks[0], blocks[1], blocks[2], blocks[3], blocks[4]);
    int right = sum == me * (me + 1) / 2 && (me != 2 || (blocks[1] == 2 && blocks[3] == 3));
    shmem_finalize();
    return right ? 0 : 1;
}
