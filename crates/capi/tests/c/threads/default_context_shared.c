// pes: 1 2 4
// All threads on the default context and on one shared context at once: atomics lose nothing, p and g keep their values, fence
// and quiet may be called by any of them, contexts come and go meanwhile.
#include "team.h"

enum { ROUNDS = 3000 };
static int me, npes;
static long sum, slots[THREADS];
static uint64_t sig;
static shmem_ctx_t shared;

static void *body(void *arg)
{
    long t = (long)arg;
    int to = (me + 1) % npes;
    for (long i = 0; i < ROUNDS; i++) {
        shmem_long_atomic_add(&sum, 1, to);
        shmem_ctx_long_atomic_inc(shared, &sum, to);
        (void)shmem_long_atomic_fetch_add(&sum, 1, to);
        shmem_signal_add(&sig, 1, to);
        shmem_long_p(&slots[t], i, to);
        if (i % 5 == t) {
            shmem_quiet();
            CHECK_NTH("p, quiet, g", i, shmem_long_g(&slots[t], to), i);
        }
        if (i % 7 == t) shmem_ctx_quiet(shared), shmem_fence();
        if (i % 100 == t) {
            shmem_ctx_t ctx;
            if (shmem_ctx_create(0, &ctx) != 0) FAIL("round %ld: no context", i);
            shmem_ctx_long_atomic_add(ctx, &sum, 0, to);
            shmem_ctx_destroy(ctx);
        }
    }
    return NULL;
}

int main(void)
{
    begin_threaded(&me, &npes);
    CHECK_EQ(shmem_ctx_create(0, &shared), 0);
    shmem_barrier_all();
    run_threads(body);
    shmem_ctx_destroy(shared);
    shmem_barrier_all();
    CHECK_EQ(sum, 3L * ROUNDS * THREADS);
    CHECK_EQ(shmem_signal_fetch(&sig), (uint64_t)ROUNDS * THREADS);
    shmem_barrier_all();
    end();
    return 0;
}
