#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    shmem_team_t reversed;
    if (shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &reversed) != 0) {
        fprintf(stderr, "there is no such team, on any PE\n");
        shmem_global_exit(1);
    }
    int mine = shmem_team_my_pe(reversed);
    printf("PE %d is %d in the reversed team\n", me, mine);

    /* One member too many: refused on all PEs, and the job continues. */
    shmem_team_t none;
    int refused = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes + 1, NULL, 0, &none);
    int right = mine == npes - 1 - me && refused != 0 && none == SHMEM_TEAM_INVALID;

    shmem_team_destroy(reversed);
    shmem_finalize();
    return right ? 0 : 1;
}
