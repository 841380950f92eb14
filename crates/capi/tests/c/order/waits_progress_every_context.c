// pes: 2 4
// wait, test and signal_wait have no context, yet a value that was sent on any context, including batched sessions, arrives
// while the sender itself is blocked in a wait.
#include "check.h"

enum { ROUNDS = 3000 };
static long ball;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_ctx_t ctx[3];
    CHECK(shmem_ctx_create(0, &ctx[0]) == 0);
    CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx[1]) == 0);
    CHECK(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx[2]) == 0);
    shmem_ctx_session_start(ctx[2], SHMEM_CTX_SESSION_BATCH, NULL, 0);
    int to = (me + 1) % npes;
    /* A ball goes round the ring; its sender calls nothing but the wait for it to come back. */
    for (long round = 1; round <= ROUNDS; round++) {
        shmem_ctx_t by = ctx[round % 3];
        if (me != 0) shmem_long_wait_until(&ball, SHMEM_CMP_EQ, round);
        if (round % 2) shmem_ctx_long_p(by, &ball, round, to);
        else shmem_ctx_long_atomic_set(by, &ball, round, to);
        if (me == 0)
            while (!shmem_long_test(&ball, SHMEM_CMP_EQ, round)) {}
    }
    for (int i = 0; i < 3; i++) shmem_ctx_destroy(ctx[i]);
    shmem_barrier_all();
    end();
    return 0;
}
