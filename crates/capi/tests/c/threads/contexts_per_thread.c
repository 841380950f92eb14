// pes: 1 2 4
// Every thread with a private context of its own: puts, gets, atomics and quiet of all threads at once, each sees its own data.
#include "team.h"

enum { ROUNDS = 300, LEN = 257 };
static int me, npes;
static long area[THREADS][LEN], total;

static void *body(void *arg)
{
    long t = (long)arg, source[LEN], back[LEN];
    shmem_ctx_t ctx;
    int to = (me + 1) % npes;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) FAIL("thread %ld: no context", t);
    for (long round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LEN; i++) source[i] = round * 100000 + t * 1000 + i + me * 7;
        if (round % 2) shmem_ctx_long_put(ctx, area[t], source, LEN, to);
        else shmem_ctx_long_put_nbi(ctx, area[t], source, LEN, to);
        shmem_ctx_quiet(ctx);
        if (round % 3) shmem_ctx_long_get(ctx, back, area[t], LEN, to);
        else shmem_ctx_long_get_nbi(ctx, back, area[t], LEN, to), shmem_ctx_quiet(ctx);
        for (int i = 0; i < LEN; i++) CHECK_NTH("own data of a thread", i, back[i], source[i]);
        shmem_ctx_long_atomic_add(ctx, &total, 1, round % npes);
    }
    shmem_ctx_destroy(ctx);
    return NULL;
}

int main(void)
{
    begin_threaded(&me, &npes);
    shmem_barrier_all();
    run_threads(body);
    shmem_barrier_all();
    long sum = 0;
    for (int pe = 0; pe < npes; pe++) sum += shmem_long_g(&total, pe);
    CHECK_EQ(sum, (long)ROUNDS * THREADS * npes);
    shmem_barrier_all();
    end();
    return 0;
}
