// pes: 1 2 4 7
// signal_set, signal_add and signal_fetch, plain and on a context, on static and heap signals; adds of all PEs add up and
// wrap modulo 2^64.
#include "check.h"

enum { ROUNDS = 1000 };
static uint64_t in_static;
static int me, npes;

static void set_and_fetch(uint64_t *sig, shmem_ctx_t ctx)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    *sig = 0;
    shmem_barrier_all();
    shmem_signal_set(sig, (uint64_t)me + 10, to);
    CHECK_EQ(shmem_signal_wait_until(sig, SHMEM_CMP_NE, 0), from + 10);
    shmem_barrier_all();
    shmem_ctx_signal_set(ctx, sig, UINT64_MAX - (uint64_t)me, to);
    shmem_ctx_quiet(ctx);
    shmem_sync_all();
    CHECK(shmem_signal_fetch(sig) == UINT64_MAX - (uint64_t)from);
    shmem_barrier_all();
}

static void add_from_all(uint64_t *sig, shmem_ctx_t ctx)
{
    *sig = UINT64_MAX; // the first add wraps
    shmem_barrier_all();
    for (int i = 0; i < ROUNDS; i++)
        for (int to = 0; to < npes; to++) {
            shmem_signal_add(sig, 1, to);
            shmem_ctx_signal_add(ctx, sig, 2, to);
        }
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    CHECK_EQ(shmem_signal_fetch(sig), (uint64_t)3 * ROUNDS * (uint64_t)npes - 1);
    shmem_barrier_all();
}

int main(void)
{
    begin(&me, &npes);
    shmem_ctx_t ctx;
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    uint64_t *on_heap = need(sizeof *on_heap);
    set_and_fetch(on_heap, ctx), set_and_fetch(&in_static, ctx);
    add_from_all(on_heap, ctx), add_from_all(&in_static, ctx);
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
