#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PES = 4 };

static long sum, mine;

static int pe(int rank, const shmemx_uniqueid_t *id) {
    shmemx_init_attr_t attr = SHMEMX_INIT_ATTR_INITIALIZER;
    if (shmemx_set_attr_uniqueid_args(rank, PES, id, &attr) != 0)
        return 1;
    if (shmemx_init_attr(SHMEMX_INIT_WITH_UNIQUEID, &attr) != 0)
        return 1;
    mine = shmem_my_pe();
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
    if (rank == 0)
        printf("%d PEs, whose numbers add up to %ld\n", shmem_n_pes(), sum);
    shmem_finalize();
    return 0;
}

int main(void) {
    shmemx_uniqueid_t id = SHMEMX_UNIQUEID_INITIALIZER;
    if (shmemx_get_uniqueid(&id) != 0) /* the root is in this process */
        return 1;
    for (int rank = 0; rank < PES; rank++)
        if (fork() == 0) /* any way to start processes, and to pass 128 bytes to them, will do */
            return pe(rank, &id);
    int failures = 0, status;
    while (wait(&status) > 0)
        failures += status != 0;
    return failures;
}
