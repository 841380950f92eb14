#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PES = 3 };

static shmemx_uniqueid_t ids[2]; /* one for each job; a service would draw the second one when it is needed */

static int join(int rank, int size, const shmemx_uniqueid_t *id) {
    shmemx_init_attr_t attr = SHMEMX_INIT_ATTR_INITIALIZER;
    if (shmemx_set_attr_uniqueid_args(rank, size, id, &attr) != 0)
        return 1;
    return shmemx_init_attr(SHMEMX_INIT_WITH_UNIQUEID | SHMEMX_LOSS_RETURNS, &attr);
}

static int pe(int rank) {
    int lost, n = 1;
    if (join(rank, PES, &ids[0]) != 0)
        return 1;
    shmem_barrier_all();
    if (rank == 2)
        _exit(0); /* without shmem_finalize */
    while (shmem_team_sync(SHMEM_TEAM_WORLD) == 0)
        continue;
    if (!shmemx_lost_pes(&lost, &n) || n != 1)
        return 1;
    if (rank == 0)
        printf("PE %d was lost\n", lost);
    shmemx_abandon();
    if (join(rank, PES - 1, &ids[1]) != 0)
        return 1;
    if (rank == 0)
        printf("%d PEs are left\n", shmem_n_pes());
    shmem_finalize();
    return 0;
}

int main(void) {
    if (shmemx_get_uniqueid(&ids[0]) != 0 || shmemx_get_uniqueid(&ids[1]) != 0) /* the roots are in this process */
        return 1;
    for (int rank = 0; rank < PES; rank++)
        if (fork() == 0)
            return pe(rank);
    int failures = 0, status;
    while (wait(&status) > 0)
        failures += status != 0;
    return failures;
}
