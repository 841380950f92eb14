// A PE of `oshrun --on-loss return`, for losses.rs and lost_hosts.rs. The last PE ends as the first argument says; the others meet again, by an
// id in the file of the second argument. With "host" the last two PEs wait for the end of their host.
#include <shmem.h>
#include <shmemx.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long one = 1, sum;

static void end(const char *act) {
    if (!strcmp(act, "killed"))
        raise(SIGKILL);
    if (!strcmp(act, "exits"))
        _exit(3);
    if (!strcmp(act, "leaves"))
        _exit(0); // without shmem_finalize
    for (;!strcmp(act, "host");)
        pause();
}

static int join(int rank, int size, const char *path) {
    shmemx_uniqueid_t uid = SHMEMX_UNIQUEID_INITIALIZER;
    shmemx_init_attr_t attr = SHMEMX_INIT_ATTR_INITIALIZER;
    FILE *file = NULL;
    if (rank == 0) {
        char temporary[500];
        snprintf(temporary, sizeof temporary, "%s.new", path);
        if (shmemx_get_uniqueid(&uid) != 0 || !(file = fopen(temporary, "w")))
            return 1;
        fwrite(&uid, sizeof uid, 1, file);
        fclose(file);
        rename(temporary, path);
    } else {
        while (!(file = fopen(path, "r")))
            usleep(1000);
        if (fread(&uid, sizeof uid, 1, file) != 1)
            return 1;
        fclose(file);
    }
    return shmemx_set_attr_uniqueid_args(rank, size, &uid, &attr)
        || shmemx_init_attr(SHMEMX_INIT_WITH_UNIQUEID | SHMEMX_LOSS_RETURNS, &attr);
}

int main(int argc, char **argv) {
    int lost[8], n = 8, ends = argc > 1 && !strcmp(argv[1], "host") ? 2 : 1;
    if (argc != 3)
        return 2;
    if (!strcmp(argv[1], "early") && !strcmp(getenv("FERRITE_PE"), "2"))
        raise(SIGKILL);
    shmem_init();
    int me = shmem_my_pe(), size = shmem_n_pes();
    shmem_barrier_all();
    if (!strcmp(argv[1], "host"))
        printf("PE %d is process %d\n", me, (int)getpid()), fflush(stdout);
    if (me >= size - ends)
        end(argv[1]);
    while (shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1) == 0)
        if (!strcmp(argv[1], "nothing")) {
            shmem_finalize();
            return 0;
        }
    // Of two losses the second may not be known yet.
    if (!shmemx_lost_pes(lost, &n) || n < 1 || n > ends)
        return 4;
    for (int at = 0; at < n; at++)
        if (lost[at] < size - ends)
            return 4;
    shmemx_abandon();
    if (join(me, size - ends, argv[2]) != 0 || shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1) != 0)
        return 5;
    printf("total %ld\n", sum);
    fflush(stdout);
    shmem_finalize();
    return 0;
}
