#include <shmem.h>
#include <stdio.h>

static int mine[3], all[6];

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    for (int i = 0; i < me; i++)
        mine[i] = me;
    int failed = shmem_int_collect(SHMEM_TEAM_WORLD, all, mine, me);
    if (me == 0 || me == 3)
        printf("PE %d has %d %d %d %d %d %d\n", me, all[0], all[1], all[2], all[3], all[4], all[5]);
    int right = !failed && all[0] == 1 && all[1] == 2 && all[5] == 3;
    shmem_finalize();
    return right ? 0 : 1;
}
