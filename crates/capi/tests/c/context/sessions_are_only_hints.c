// pes: 2 4
// Sessions change no completion and no order: nested starts, stops without start, wrong total_ops, NULL configuration; batched
// puts and atomics still complete at quiet, order at fence and arrive without any further call.
#include "check.h"

static int me, npes;
static long flag, data[64], seen;

static void nested(shmem_ctx_t ctx)
{
    const shmem_ctx_session_config_t wrong = {1}, none = {0}, all = {SIZE_MAX};
    shmem_ctx_session_stop(ctx);
    shmem_ctx_session_start(ctx, 0, NULL, 0);
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &wrong, SHMEM_CTX_SESSION_TOTAL_OPS);
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &none, SHMEM_CTX_SESSION_TOTAL_OPS);
    shmem_ctx_session_start(ctx, 0, &all, 0);
}

/* The ring goes on by flags only: after the last put the sender calls nothing but its own wait. */
static void ring(shmem_ctx_t ctx, long round)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    for (int i = 0; i < 64; i++) shmem_ctx_long_p(ctx, &data[i], round + i, to);
    shmem_ctx_fence(ctx);
    shmem_ctx_long_atomic_set(ctx, &flag, round, to);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, round);
    for (int i = 0; i < 64; i++) CHECK_NTH("put in a session", i, data[i], round + i);
    shmem_ctx_long_atomic_inc(ctx, &seen, from); // my data were read
    shmem_long_wait_until(&seen, SHMEM_CMP_EQ, round);
}

int main(void)
{
    begin(&me, &npes);
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    long round = 0;
    for (int i = 0; i < 300; i++) {
        shmem_ctx_t by = i % 2 ? ctx : SHMEM_CTX_DEFAULT;
        nested(by);
        ring(by, ++round);
        long back = shmem_ctx_long_atomic_fetch_add(by, &data[0], 1, (me + 1) % npes);
        CHECK_EQ(back, round);
        shmem_ctx_quiet(by);
        shmem_ctx_session_stop(by);
        shmem_ctx_session_stop(by);
        shmem_barrier_all();
        CHECK_EQ(data[0], round + 1);
        shmem_barrier_all();
    }
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
