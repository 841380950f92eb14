// pes: 2 4
// Message-passing litmus: data, fence, flag. A PE that sees the flag, with any wait, sees the data; the data are sent by every
// kind of operation that fence orders, the flag by atomic, signal or p, on the default and on a created context.
#include "check.h"

enum { WORDS = 9, ROUNDS = 20000, KINDS = 6 };
static long flag, seen;
static uint64_t sig;
static shmem_ctx_t ctx;

static void send(long *data, const long *source, long round, int kind, int pe)
{
    switch (kind) {
    case 0:
        shmem_long_put(data, source, WORDS, pe), shmem_fence(), shmem_long_atomic_set(&flag, round, pe);
        break;
    case 1:
        shmem_long_put_nbi(data, source, WORDS, pe), shmem_fence(), shmem_long_p(&flag, round, pe);
        break;
    case 2:
        for (int i = 0; i < WORDS; i++) shmem_long_p(&data[i], round, pe);
        shmem_fence(), shmem_signal_set(&sig, (uint64_t)round, pe);
        break;
    case 3:
        for (int i = 0; i < WORDS; i++) shmem_long_atomic_set(&data[i], round, pe);
        shmem_fence(), shmem_long_put_signal(NULL, NULL, 0, &sig, (uint64_t)round, SHMEM_SIGNAL_SET, pe);
        break;
    case 4:
        shmem_ctx_long_put(ctx, data, source, WORDS, pe), shmem_ctx_fence(ctx), shmem_ctx_long_atomic_set(ctx, &flag, round, pe);
        break;
    default:
        shmem_ctx_long_iput(ctx, data, source, 1, 1, WORDS, pe), shmem_ctx_fence(ctx), shmem_ctx_long_p(ctx, &flag, round, pe);
    }
}

static void receive(const long *data, long round, int kind)
{
    if (kind == 2 || kind == 3) shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, (uint64_t)round);
    else if (round % 2) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, round);
    else
        while (!shmem_long_test(&flag, SHMEM_CMP_EQ, round)) {}
    for (int i = 0; i < WORDS; i++)
        if (data[i] != round) FAIL("kind %d: flag of round %ld seen, but data[%d] is %ld", kind, round, i, data[i]);
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    long *data = need(WORDS * sizeof *data), source[WORDS];
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    for (long round = 1; round <= ROUNDS; round++) {
        int kind = (int)(round % KINDS);
        for (int i = 0; i < WORDS; i++) source[i] = round;
        send(data, source, round, kind, to);
        receive(data, round, kind);
        shmem_long_atomic_set(&seen, round, from); // the sender may overwrite
        shmem_long_wait_until(&seen, SHMEM_CMP_EQ, round);
        shmem_quiet(), shmem_ctx_quiet(ctx);
    }
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
