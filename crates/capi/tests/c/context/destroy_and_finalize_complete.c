// pes: 2 4
// Destroying a context completes what was issued on it; shareable contexts left alive are completed and destroyed by finalize.
#include "check.h"

enum { LEN = 5000 };
static long dest[LEN], source[LEN];
static int arrived;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    for (int round = 1; round < 50; round++) {
        shmem_ctx_t ctx;
        CHECK_EQ(shmem_ctx_create(round % 2 ? SHMEM_CTX_SERIALIZED : 0, &ctx), 0);
        for (int i = 0; i < LEN; i++) source[i] = round * 100000L + me * 10000 + i;
        shmem_ctx_long_put_nbi(ctx, dest, source, LEN, to);
        shmem_ctx_destroy(ctx);
        shmem_int_atomic_set(&arrived, round, to);
        shmem_int_wait_until(&arrived, SHMEM_CMP_EQ, round);
        for (int i = 0; i < LEN; i++) CHECK_NTH("put_nbi before ctx_destroy", i, dest[i], round * 100000L + from * 10000 + i);
        shmem_barrier_all();
    }
    shmem_ctx_t left_alive[10];
    for (int i = 0; i < 10; i++) {
        CHECK_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &left_alive[i]), 0);
        shmem_ctx_long_put_nbi(left_alive[i], &dest[i], &source[i], 1, to);
    }
    long left_source = 49 * 100000L + from * 10000;
    end(); // a collective end: every PE's puts are in
    for (int i = 0; i < 10; i++) CHECK_NTH("put_nbi on a context that finalize destroyed", i, dest[i], left_source + i);
    return 0;
}
