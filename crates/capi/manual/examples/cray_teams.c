#include <shmemx.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    shmem_team_t team;
    shmemx_team_split(SHMEM_TEAM_WORLD, me % 3, -me, &team);
    int mine = shmemx_team_my_pe(team), size = shmemx_team_n_pes(team);
    printf("PE %d is %d of %d\n", me, mine, size);
    shmemx_team_destroy(&team);
    int right = size == 2 && mine == (me < 3) && team == SHMEM_TEAM_NULL;
    shmem_finalize();
    return right ? 0 : 1;
}
