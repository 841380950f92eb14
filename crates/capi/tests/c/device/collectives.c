// All collectives with destination and source in every kind of memory that the specification allows, for lengths that take one strip and
// several.
// pes: 1 2 3 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=64m
// flags: -ldl
#include "device.h"

enum { MAX = 200000 };

static int me, npes;
static struct place dests[SYMMETRIC], sources[SYMMETRIC];
static long plain[4 * MAX], back[4 * MAX], dest_in_statics[4 * MAX], source_in_statics[4 * MAX];
static long psync[SHMEM_REDUCE_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE], pwork[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 300];

/* The element `i` that `pe` contributes. */
static long mine(int pe, int i) { return 1 + pe * 3 + i % 11; }

static void begin_round(int source, int dest, int nelems)
{
    for (int i = 0; i < nelems; i++) plain[i] = mine(me, i);
    write_to(sources[source].at, sources[source].on_device, plain, nelems * sizeof(long));
    memset(back, 0, sizeof back);
    write_to(dests[dest].at, dests[dest].on_device, back, npes * (size_t)nelems * sizeof(long));
    shmem_barrier_all();
}

static void result(int dest, int nelems) { read_from(back, dests[dest].at, dests[dest].on_device, nelems * sizeof(long)); }

static void all(int s, int d, int n)
{
    long *dest = dests[d].at, *source = sources[s].at;
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

/* What `op` makes of the words `i` of all PEs. */
static unsigned long combined(int op, int i)
{
    unsigned long made = mine(0, i);
    for (int pe = 1; pe < npes; pe++) {
        unsigned long next = mine(pe, i);
        switch (op) {
        case 0: made &= next; break;
        case 1: made |= next; break;
        case 2: made ^= next; break;
        case 3: made = next < made ? next : made; break;
        case 4: made = next > made ? next : made; break;
        case 5: made += next; break;
        case 6: made *= next; break;
        }
    }
    return made;
}

static void operations(int s, int d, int n)
{
    unsigned long *dest = dests[d].at, *source = sources[s].at;
    for (int op = 0; op < 7; op++) {
        begin_round(s, d, n);
        switch (op) {
        case 0: CHECK_EQ(shmem_ulong_and_reduce(SHMEM_TEAM_WORLD, dest, source, n), 0); break;
        case 1: CHECK_EQ(shmem_ulong_or_reduce(SHMEM_TEAM_WORLD, dest, source, n), 0); break;
        case 2: CHECK_EQ(shmem_ulong_xor_reduce(SHMEM_TEAM_WORLD, dest, source, n), 0); break;
        case 3: CHECK_EQ(shmem_ulong_min_reduce(SHMEM_TEAM_WORLD, dest, source, n), 0); break;
        case 4: CHECK_EQ(shmem_ulong_max_reduce(SHMEM_TEAM_WORLD, dest, source, n), 0); break;
        case 5: CHECK_EQ(shmem_ulong_sum_reduce(SHMEM_TEAM_WORLD, dest, source, n), 0); break;
        case 6: CHECK_EQ(shmem_ulong_prod_reduce(SHMEM_TEAM_WORLD, dest, source, n), 0); break;
        }
        result(d, n);
        for (int i = 0; i < n; i++) CHECK_NTH("operation", 1000 * op + i, (unsigned long)back[i], combined(op, i));
    }
}

/* The routines over active sets. Broadcasts leave the root's destination alone. */
static void sets(int s, int d)
{
    enum { EACH = 20 };
    long *dest = dests[d].at, *source = sources[s].at;
    begin_round(s, d, EACH);
    shmem_broadcast64(dest, source, EACH, 0, 0, 0, npes, psync);
    result(d, EACH);
    for (int i = 0; i < EACH; i++) CHECK_NTH("broadcast64", i, back[i], me == 0 ? 0 : mine(0, i));
    begin_round(s, d, EACH);
    shmem_fcollect64(dest, source, EACH, 0, 0, npes, psync);
    result(d, EACH * npes);
    for (int i = 0; i < EACH * npes; i++) CHECK_NTH("fcollect64", i, back[i], mine(i / EACH, i % EACH));
    begin_round(s, d, EACH);
    shmem_collect64(dest, source, EACH, 0, 0, npes, psync);
    result(d, EACH * npes);
    for (int i = 0; i < EACH * npes; i++) CHECK_NTH("collect64", i, back[i], mine(i / EACH, i % EACH));
    begin_round(s, d, EACH * npes);
    shmem_alltoall64(dest, source, EACH, 0, 0, npes, psync);
    result(d, EACH * npes);
    for (int i = 0; i < EACH * npes; i++) CHECK_NTH("alltoall64", i, back[i], mine(i / EACH, me * EACH + i % EACH));
    begin_round(s, d, 2 * EACH * npes);
    shmem_alltoalls64(dest, source, 1, 2, EACH, 0, 0, npes, psync);
    result(d, EACH * npes);
    for (int i = 0; i < EACH * npes; i++) CHECK_NTH("alltoalls64", i, back[i], mine(i / EACH, 2 * (me * EACH + i % EACH)));
    begin_round(s, d, 100);
    shmem_long_max_to_all(dest, source, 100, 0, 0, npes, pwork, psync);
    result(d, 100);
    for (int i = 0; i < 100; i++) CHECK_NTH("max_to_all", i, back[i], combined(4, i));
    begin_round(s, d, 100);
    shmem_long_xor_to_all(dest, source, 100, 0, 0, npes, pwork, psync);
    result(d, 100);
    for (int i = 0; i < 100; i++) CHECK_NTH("xor_to_all", i, back[i], combined(2, i));
}

int main(void)
{
    begin_device(&me, &npes);
    make_places(dests, SYMMETRIC, dest_in_statics, npes * (size_t)MAX * sizeof(long));
    make_places(sources, SYMMETRIC, source_in_statics, npes * (size_t)MAX * sizeof(long));
    for (int s = 0; s < SYMMETRIC; s++)
        for (int d = 0; d < SYMMETRIC; d++) {
            all(s, d, 1);
            all(s, d, 257);
            operations(s, d, 30);
            sets(s, d);
        }
    all(DEVICE_HEAP, DEVICE_HEAP, MAX);
    all(STATICS, DEVICE_HEAP, MAX);

    /* In place, and over a team of some PEs. */
    begin_round(DEVICE_HEAP, DEVICE_HEAP, 100);
    long *dest = dests[DEVICE_HEAP].at, *source = sources[DEVICE_HEAP].at;
    write_to(dest, 1, plain, 100 * sizeof(long));
    shmem_barrier_all();
    CHECK_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, dest, 100), 0);
    result(DEVICE_HEAP, 100);
    for (int i = 0; i < 100; i++) CHECK_NTH("in place", i, back[i], combined(5, i));
    shmem_team_t even;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (npes + 1) / 2, NULL, 0, &even);
    begin_round(DEVICE_HEAP, DEVICE_HEAP, 100);
    if (even != SHMEM_TEAM_INVALID) {
        CHECK_EQ(shmem_long_broadcast(even, dest, source, 100, 0), 0);
        result(DEVICE_HEAP, 100);
        for (int i = 0; i < 100; i++) CHECK_NTH("of a team", i, back[i], mine(0, i));
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
