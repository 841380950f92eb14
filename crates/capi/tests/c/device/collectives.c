// All collectives with a destination or a source in the device heap, or both, for lengths that take one strip and several.
// pes: 1 2 3 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=64m
// flags: -ldl
#include "device.h"

enum { MAX = 200000 };

static int me, npes;
static long *dests[2], *sources[2], plain[4 * MAX], back[4 * MAX];

/* The element `i` that `pe` contributes. */
static long mine(int pe, int i) { return 1 + pe * 3 + i % 11; }

static void begin_round(int source_on_device, int dest_on_device, int nelems)
{
    for (int i = 0; i < nelems; i++) plain[i] = mine(me, i);
    write_to(sources[source_on_device], source_on_device, plain, nelems * sizeof(long));
    memset(back, 0, sizeof back);
    write_to(dests[dest_on_device], dest_on_device, back, npes * (size_t)nelems * sizeof(long));
    shmem_barrier_all();
}

static void result(int dest_on_device, int nelems) { read_from(back, dests[dest_on_device], dest_on_device, nelems * sizeof(long)); }

static void all(int s, int d, int n)
{
    long *dest = dests[d], *source = sources[s];
    shmem_team_t team = SHMEM_TEAM_WORLD;
    int root = npes - 1;

    begin_round(s, d, n);
    CHECK_EQ(shmem_long_broadcast(team, dest, source, n, root), 0);
    result(d, n);
    for (int i = 0; i < n; i++) CHECK_NTH("broadcast", i, back[i], mine(root, i));

    begin_round(s, d, n);
    CHECK_EQ(shmem_long_fcollect(team, dest, source, n), 0);
    result(d, n * npes);
    for (int i = 0; i < n * npes; i++) CHECK_NTH("fcollect", i, back[i], mine(i / n, i % n));

    begin_round(s, d, n);
    int length = n / (me + 1);
    CHECK_EQ(shmem_long_collect(team, dest, source, length), 0);
    result(d, n * npes);
    for (int pe = 0, at = 0; pe < npes; at += n / (pe + 1), pe++)
        for (int i = 0; i < n / (pe + 1); i++) CHECK_NTH("collect", i, back[at + i], mine(pe, i));

    int each = n / npes;
    begin_round(s, d, n);
    CHECK_EQ(shmem_long_alltoall(team, dest, source, each), 0);
    result(d, each * npes);
    for (int i = 0; i < each * npes; i++) CHECK_NTH("alltoall", i, back[i], mine(i / each, me * each + i % each));

    if (n <= 1000) {
        int few = n / npes / 3;
        begin_round(s, d, n);
        CHECK_EQ(shmem_long_alltoalls(team, dest, source, 2, 3, few), 0);
        result(d, 2 * few * npes);
        for (int i = 0; i < few * npes; i++)
            CHECK_NTH("alltoalls", i, back[2 * i], mine(i / few, 3 * (me * few + i % few)));
    }

    long sum_of_pes = 3L * npes * (npes - 1) / 2 + npes;
    begin_round(s, d, n);
    CHECK_EQ(shmem_long_sum_reduce(team, dest, source, n), 0);
    result(d, n);
    for (int i = 0; i < n; i++) CHECK_NTH("sum", i, back[i], sum_of_pes + npes * (i % 11L));
    begin_round(s, d, n);
    CHECK_EQ(shmem_long_max_reduce(team, dest, source, n), 0);
    result(d, n);
    for (int i = 0; i < n; i++) CHECK_NTH("max", i, back[i], mine(npes - 1, i));

    begin_round(s, d, n);
    CHECK_EQ(shmem_long_sum_inscan(team, dest, source, n), 0);
    result(d, n);
    for (int i = 0; i < n; i++) {
        long sum = 0;
        for (int pe = 0; pe <= me; pe++) sum += mine(pe, i);
        CHECK_NTH("inscan", i, back[i], sum);
    }
    begin_round(s, d, n);
    CHECK_EQ(shmem_long_sum_exscan(team, dest, source, n), 0);
    result(d, n);
    for (int i = 0; i < n; i++) {
        long sum = 0;
        for (int pe = 0; pe < me; pe++) sum += mine(pe, i);
        CHECK_NTH("exscan", i, back[i], sum);
    }
}

int main(void)
{
    begin_device(&me, &npes);
    size_t bytes = (size_t)npes * MAX * sizeof(long);
    for (int on_device = 0; on_device < 2; on_device++) {
        dests[on_device] = on_device ? need_device(bytes) : need(bytes);
        sources[on_device] = on_device ? need_device(bytes) : need(bytes);
    }
    for (int s = 0; s < 2; s++)
        for (int d = 0; d < 2; d++) {
            all(s, d, 1);
            all(s, d, 257);
        }
    all(1, 1, MAX);
    all(0, 1, MAX);

    /* In place, over a team of some PEs, and over an active set. */
    begin_round(1, 1, 100);
    write_to(dests[1], 1, plain, 100 * sizeof(long));
    shmem_barrier_all();
    CHECK_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dests[1], dests[1], 100), 0);
    result(1, 100);
    for (int i = 0; i < 100; i++) CHECK_NTH("in place", i, back[i], 3L * npes * (npes - 1) / 2 + npes + npes * (i % 11L));
    shmem_team_t even;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (npes + 1) / 2, NULL, 0, &even);
    begin_round(1, 1, 100);
    if (even != SHMEM_TEAM_INVALID) {
        CHECK_EQ(shmem_long_broadcast(even, dests[1], sources[1], 100, 0), 0);
        result(1, 100);
        for (int i = 0; i < 100; i++) CHECK_NTH("of a team", i, back[i], mine(0, i));
    }
    static long psync[SHMEM_REDUCE_SYNC_SIZE], pwork[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 100];
    shmem_barrier_all();
    shmem_long_max_to_all(dests[1], sources[1], 100, 0, 0, npes, pwork, psync);
    result(1, 100);
    for (int i = 0; i < 100; i++) CHECK_NTH("of a set", i, back[i], mine(npes - 1, i));
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
