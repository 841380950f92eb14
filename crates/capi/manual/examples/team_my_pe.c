#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    shmem_team_t even;
    int failed = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (npes + 1) / 2, NULL, 0, &even);

    int wrong = failed;
    if (even != SHMEM_TEAM_INVALID) {
        int mine = shmem_team_my_pe(even);
        int second = shmem_team_translate_pe(even, 1, SHMEM_TEAM_WORLD);
        printf("PE %d is %d of %d; the team's 1 is PE %d of the world\n", me, mine, shmem_team_n_pes(even), second);
        wrong |= mine != me / 2 || second != 2;
    } else {
        wrong |= me % 2 == 0 || shmem_team_my_pe(even) != -1;
    }
    shmem_team_destroy(even);
    shmem_finalize();
    return wrong;
}
