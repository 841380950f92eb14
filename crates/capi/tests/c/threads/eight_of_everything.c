// pes: 1 2 4
// each: SEED = 1 | 20
// Eight threads a PE do everything at once, in an order of their own: puts and gets on private and shared contexts, atomics, puts
// with signals and waits for them, one lock for all threads of all PEs, sets of variables, collectives on a team of the thread's
// own, splits and contexts that come and go. Each checks its own results, and the sums are right in the end.
#define THREADS 8
#include "team.h"

enum { ROUNDS = 60, LEN = 33 };
static int me, npes, to, from;
static unsigned seed;
static shmem_ctx_t shared;
static shmem_team_t teams[THREADS];
/* Thread t has element t of each. */
static long area[THREADS][LEN], mailbox[THREADS][LEN], source[THREADS][LEN], dest[THREADS][8 * LEN];
static uint64_t arrived[THREADS], taken[THREADS];
static long set[THREADS][4];
/* All threads of all PEs have these. */
static long lock, guarded, total;

static void moves(long t, long round, shmem_ctx_t own)
{
    long out[LEN], back[LEN];
    shmem_ctx_t by = round % 3 ? own : shared;
    for (int i = 0; i < LEN; i++) out[i] = round * 1000 + t * 100 + i + me;
    if (round % 2) shmem_ctx_long_put(by, area[t], out, LEN, to);
    else shmem_ctx_long_put_nbi(by, area[t], out, LEN, to);
    shmem_ctx_quiet(by);
    if (round % 5) shmem_ctx_long_get(by, back, area[t], LEN, to);
    else shmem_ctx_long_get_nbi(by, back, area[t], LEN, to), shmem_ctx_quiet(by);
    for (int i = 0; i < LEN; i++) CHECK_NTH("what this thread put", i, back[i], out[i]);
}

/* Sent to the same thread of the next PE, which notifies the sender when it has read. */
static void letter(long t, long round, shmem_ctx_t own)
{
    long out[LEN];
    uint64_t number = (uint64_t)round + 1;
    for (int i = 0; i < LEN; i++) out[i] = me * 7 + round + i;
    shmem_ctx_long_put_signal(own, mailbox[t], out, LEN, &arrived[t], 1, SHMEM_SIGNAL_ADD, to);
    CHECK_NTH("a letter's number", t, shmem_signal_wait_until(&arrived[t], SHMEM_CMP_GE, number), number);
    for (int i = 0; i < LEN; i++) CHECK_NTH("a letter", i, mailbox[t][i], from * 7 + round + i);
    shmem_signal_add(&taken[t], 1, from);
    while (!shmem_ulong_test((unsigned long *)&taken[t], SHMEM_CMP_EQ, number)) {}
}

static void counts(long round)
{
    shmem_long_atomic_inc(&total, (int)(round % npes));
    shmem_ctx_long_atomic_add(shared, &total, 2, to);
    (void)shmem_long_atomic_fetch_add(&total, 3, from);
    shmem_set_lock(&lock);
    long value = shmem_long_g(&guarded, 0);
    shmem_long_p(&guarded, value + 1, 0);
    shmem_clear_lock(&lock);
}

static void watch(long t, long round)
{
    long value = round + 1;
    for (int i = 0; i < 4; i++) shmem_long_atomic_set(&set[t][(i + round) % 4], value, to);
    size_t any = shmem_long_wait_until_any(set[t], 4, NULL, SHMEM_CMP_GE, value); // the neighbour may be a round ahead
    CHECK(any < 4);
    shmem_long_wait_until_all(set[t], 4, NULL, SHMEM_CMP_GE, value);
}

static void gather(long t, long round)
{
    shmem_team_t team = teams[t];
    for (int i = 0; i < LEN; i++) source[t][i] = me + round + i;
    CHECK(shmem_team_sync(team) == 0);
    CHECK(shmem_long_sum_reduce(team, dest[t], source[t], LEN) == 0);
    CHECK_NTH("sum_reduce of a thread's team", t, dest[t][LEN - 1], npes * (npes - 1) / 2 + npes * (round + LEN - 1));
    CHECK(shmem_team_sync(team) == 0); // a peer that is ahead may write to `dest` as soon as it has entered the next call
    CHECK(shmem_long_fcollect(team, dest[t], source[t], LEN) == 0);
    for (int pe = 0; pe < npes; pe++) CHECK_NTH("fcollect of a thread's team", pe, dest[t][pe * LEN], pe + round);
    CHECK(shmem_team_sync(team) == 0);
    int root = (int)(round + t) % npes;
    CHECK(shmem_long_broadcast(team, dest[t], source[t], LEN, root) == 0);
    CHECK_NTH("broadcast of a thread's team", t, dest[t][1], root + round + 1);
    CHECK(shmem_team_sync(team) == 0);
    CHECK(shmem_long_max_reduce(team, dest[t], dest[t], 1) == 0);
    CHECK(shmem_team_sync(team) == 0);
}

static void come_and_go(long t)
{
    shmem_team_t child;
    shmem_ctx_t ctx;
    CHECK(shmem_team_split_strided(teams[t], npes - 1, -1, npes, NULL, 0, &child) == 0);
    CHECK_EQ(shmem_team_my_pe(child), npes - 1 - me);
    CHECK(shmem_team_create_ctx(child, SHMEM_CTX_PRIVATE, &ctx) == 0);
    shmem_ctx_long_atomic_add(ctx, &total, 5, npes - 1 - to);
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(child);
}

static void *body(void *arg)
{
    long t = (long)arg;
    unsigned random = seed * 2654435761u + (unsigned)t * 40503u; // the same on all PEs: the thread's teams meet
    shmem_ctx_t own;
    CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &own) == 0);
    for (long round = 0; round < ROUNDS; round++) {
        unsigned order = (random = random * 69069u + 1u) >> 16;
        for (unsigned k = 0; k < 6; k++)
            switch ((order + k * (order & 64 ? 5 : 1)) % 6) {
            case 0: moves(t, round, own); break;
            case 1: letter(t, round, own); break;
            case 2: counts(round); break;
            case 3: watch(t, round); break;
            case 4: gather(t, round); break;
            default: come_and_go(t);
            }
    }
    shmem_ctx_destroy(own);
    return NULL;
}

int main(void)
{
    begin_threaded(&me, &npes);
    to = (me + 1) % npes, from = (me + npes - 1) % npes;
    seed = (unsigned)atoi(getenv("SEED"));
    CHECK(shmem_ctx_create(0, &shared) == 0);
    for (int t = 0; t < THREADS; t++)
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &teams[t]) == 0);
    run_threads(body);
    shmem_ctx_destroy(shared);
    for (int t = 0; t < THREADS; t++) shmem_team_destroy(teams[t]);
    shmem_barrier_all();
    static long all;
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all, &total, 1) == 0);
    CHECK_EQ(all, 11L * THREADS * ROUNDS * npes);
    if (me == 0) CHECK_EQ(guarded, (long)THREADS * ROUNDS * npes);
    CHECK_EQ(lock, 0);
    shmem_barrier_all();
    end();
    return 0;
}
