/* Collectives of teams, over the world team, and a split of it with the destruction of the new team. The size is that of the result
 * (team_broadcast, team_sum_reduce, the scans), of each PE's contribution (team_fcollect, team_collect), or of the block from each PE to
 * each other (team_alltoall, team_alltoalls, which moves every other word). The scans need 1.6. */
#include "bench.h"

#if BENCH_HAS_1_5
struct group {
    double *dest, *source;
    size_t count;
};

static void split(long n, void *arg)
{
    (void)arg;
    for (long i = 0; i < n; i++) {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, bench.pes, NULL, 0, &team) != 0)
            shmem_global_exit(1);
        shmem_team_destroy(team);
    }
}

static void sync(long n, void *arg)
{
    (void)arg;
    for (long i = 0; i < n; i++)
        shmem_team_sync(SHMEM_TEAM_WORLD);
}

#define COLLECTIVE(name, call)                                                                                         \
    static void name(long n, void *arg)                                                                                \
    {                                                                                                                  \
        const struct group *g = arg;                                                                                   \
        for (long i = 0; i < n; i++)                                                                                   \
            (void)(call);                                                                                              \
    }

COLLECTIVE(broadcast, shmem_double_broadcast(SHMEM_TEAM_WORLD, g->dest, g->source, g->count, 0))
COLLECTIVE(sum_reduce, shmem_double_sum_reduce(SHMEM_TEAM_WORLD, g->dest, g->source, g->count))
COLLECTIVE(fcollect, shmem_double_fcollect(SHMEM_TEAM_WORLD, g->dest, g->source, g->count))
COLLECTIVE(collect, shmem_double_collect(SHMEM_TEAM_WORLD, g->dest, g->source, g->count))
COLLECTIVE(alltoall, shmem_double_alltoall(SHMEM_TEAM_WORLD, g->dest, g->source, g->count))
COLLECTIVE(alltoalls, shmem_double_alltoalls(SHMEM_TEAM_WORLD, g->dest, g->source, 2, 2, g->count))
#if BENCH_HAS_1_6
COLLECTIVE(inscan, shmem_double_sum_inscan(SHMEM_TEAM_WORLD, g->dest, g->source, g->count))
COLLECTIVE(exscan, shmem_double_sum_exscan(SHMEM_TEAM_WORLD, g->dest, g->source, g->count))
#endif

/* A timed collective has written `expected` to the last element that this PE receives. */
static void check(const char *test, const struct group *g, size_t elements, double expected)
{
    if (g->dest[elements - 1] != expected) {
        fprintf(stderr, "PE %d: %s left %g, not %g\n", bench.me, test, g->dest[elements - 1], expected);
        shmem_global_exit(1);
    }
}

static void measure(int argc, char **argv)
{
    size_t max = bench_size_max(argc, argv, 8), bytes, pes = (size_t)bench.pes;
    /* Twice the size of the result: alltoalls skips every other word. */
    struct group g = {bench_symmetric(2 * max * pes), bench_symmetric(2 * max * pes), 0};
    double last = bench.pes - 1, sum = last * bench.pes / 2;
    for (size_t i = 0; i < 2 * max / 8 * pes; i++)
        g.source[i] = bench.me;
    bench_report_time("team_split", 0, bench_together(split, NULL));
    bench_report_time("team_sync", 0, bench_together(sync, NULL));
    for (int i = 0; (bytes = bench_size(argc, argv, i, 8)) != 0; i++) {
        g.count = bytes / 8;
        bench_report_time("team_broadcast", bytes, bench_together(broadcast, &g));
        check("team_broadcast", &g, g.count, 0);
        bench_report_time("team_sum_reduce", bytes, bench_together(sum_reduce, &g));
        check("team_sum_reduce", &g, g.count, sum);
        bench_report_time("team_fcollect", bytes, bench_together(fcollect, &g));
        check("team_fcollect", &g, g.count * pes, last);
        bench_report_time("team_collect", bytes, bench_together(collect, &g));
        check("team_collect", &g, g.count * pes, last);
        bench_report_time("team_alltoall", bytes, bench_together(alltoall, &g));
        check("team_alltoall", &g, g.count * pes, last);
        bench_report_time("team_alltoalls", bytes, bench_together(alltoalls, &g));
        check("team_alltoalls", &g, 2 * g.count * pes - 1, last);
#if BENCH_HAS_1_6
        double before = (double)bench.me * (bench.me - 1) / 2;
        bench_report_time("team_inscan", bytes, bench_together(inscan, &g));
        check("team_inscan", &g, g.count, before + bench.me);
        bench_report_time("team_exscan", bytes, bench_together(exscan, &g));
        check("team_exscan", &g, g.count, before);
#endif
    }
}
#else
static void measure(int argc, char **argv)
{
    (void)argc, (void)argv;
    bench_skip("teams", "OpenSHMEM 1.5");
}
#endif

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    measure(argc, argv);
    bench_end();
    return 0;
}
