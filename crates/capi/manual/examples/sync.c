#include <shmem.h>
#include <stdio.h>

static int number;

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    shmem_team_t half, column;
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &half, NULL, 0, &column);

    number = me; /* stored here, so there is nothing to complete */
    shmem_team_sync(half);
    int partner = shmem_team_translate_pe(half, 1 - shmem_team_my_pe(half), SHMEM_TEAM_WORLD);
    int seen = shmem_int_g(&number, partner);
    printf("PE %d reads %d of its partner\n", me, seen);

    shmem_team_destroy(half);
    shmem_team_destroy(column);
    shmem_finalize();
    return seen == (me ^ 1) ? 0 : 1;
}
