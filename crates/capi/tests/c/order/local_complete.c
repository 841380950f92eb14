// pes: 2 3
// Local completion: the sources of non-blocking puts may be changed, the results of non-blocking gets and atomics are here, on every
// context. A target that is stopped, and takes nothing, does not hold up the local completion of a short put.
#include "stop.h"
#include <shmemx.h>

enum { LONG = 20000, SHORT = 8, ROUNDS = 5 };
static int me, npes, to;
static long dest[LONG], source[LONG], got[LONG], word, old;
static uint64_t flag;

static void fill(long seed)
{
    for (int i = 0; i < LONG; i++) source[i] = seed * 100000 + i;
}

static void expect(const long *values, int len, long seed)
{
    for (int i = 0; i < len; i++) CHECK_NTH("element", i, values[i], seed * 100000 + i);
}

/* The source is changed at once; the target has what it was before. */
static void sources(shmem_ctx_t ctx)
{
    for (int round = 1; round <= ROUNDS; round++) {
        fill(round);
        shmem_ctx_long_put_nbi(ctx, dest, source, LONG / 2, to);
        shmem_ctx_long_put_signal_nbi(ctx, dest + LONG / 2, source + LONG / 2, LONG - LONG / 2, &flag, 1, SHMEM_SIGNAL_ADD, to);
        shmemx_ctx_local_complete(ctx);
        memset(source, 0xff, sizeof source);
        shmem_ctx_quiet(ctx);
        shmem_barrier_all();
        CHECK_EQ(flag, round);
        expect(dest, LONG, round);
        shmem_barrier_all();
    }
    flag = 0;
    shmem_barrier_all();
}

static void results(void)
{
    fill(me + 1);
    word = 100 + me;
    memcpy(dest, source, sizeof dest);
    shmem_barrier_all();
    shmem_long_get_nbi(got, dest, LONG, to);
    shmem_long_atomic_fetch_inc_nbi(&old, &word, to);
    shmemx_local_complete();
    expect(got, LONG, to + 1);
    CHECK_EQ(old, 100 + to);
    shmem_barrier_all();
}

int main(void)
{
    begin(&me, &npes);
    to = (me + 1) % npes;
    may_be_stopped();
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    shmemx_local_complete();
    shmemx_ctx_local_complete(SHMEM_CTX_INVALID);
    sources(SHMEM_CTX_DEFAULT);
    sources(ctx);
    shmem_ctx_destroy(ctx);
    results();
    if (me == 0) {
        /* The ways are there since the rounds above. */
        pid_t pid = process_of(npes - 1);
        stop(pid);
        fill(9);
        shmem_long_put_nbi(dest, source, SHORT, npes - 1);
        shmemx_local_complete();
        CHECK(pid == 0 || is_stopped(pid));
        memset(source, 0xff, sizeof source);
        go_on(pid);
    }
    shmem_barrier_all();
    if (me == npes - 1) expect(dest, SHORT, 9);
    end();
    return 0;
}
