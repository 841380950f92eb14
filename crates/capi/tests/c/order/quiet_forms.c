// pes: 1 2 4 7
// Each form of quiet completes what it covers: quiet, ctx_quiet, pe_quiet with empty, full and repeated lists, barrier_all for
// the default context, ctx_destroy for its own. Fence and quiet on SHMEM_CTX_INVALID do nothing.
#include "check.h"

enum { LEN = 1000 };
static int me, npes;
static long dest[LEN], back[LEN], source[LEN];
static const long *from_here = source;

static void prepare(long seed)
{
    for (int i = 0; i < LEN; i++) source[i] = (me + seed) * 10000 + i, back[i] = -1;
    shmem_barrier_all();
}

static void check_both(const char *what, long seed)
{
    int right = (me + 1) % npes, left = (me + npes - 1) % npes;
    for (int i = 0; i < LEN; i++) CHECK_NTH(what, i, back[i], (right + seed) * 10000 + i);
    shmem_sync_all(); // orders nothing but control: the puts must be complete by their quiet
    for (int i = 0; i < LEN; i++) CHECK_NTH(what, i, dest[i], (left + seed) * 10000 + i);
    shmem_barrier_all();
}

static void issue(shmem_ctx_t ctx)
{
    int right = (me + 1) % npes;
    shmem_ctx_long_put_nbi(ctx, dest, from_here, LEN, right);
    shmem_ctx_long_get_nbi(ctx, back, source, LEN, right);
}

int main(void)
{
    begin(&me, &npes);
    shmem_ctx_t ctx;
    int right = (me + 1) % npes, twice[3], all[64];
    twice[0] = twice[1] = twice[2] = right;
    for (int pe = 0; pe < npes; pe++) all[pe] = pe;
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    prepare(1), issue(SHMEM_CTX_DEFAULT), shmem_quiet(), check_both("shmem_quiet", 1);
    prepare(2), issue(ctx), shmem_ctx_quiet(ctx), check_both("shmem_ctx_quiet", 2);
    prepare(3), issue(SHMEM_CTX_DEFAULT), shmem_pe_quiet(twice, 3), check_both("shmem_pe_quiet", 3);
    prepare(4), issue(ctx), shmem_ctx_pe_quiet(ctx, all, (size_t)npes), check_both("shmem_ctx_pe_quiet", 4);
    prepare(5), issue(SHMEM_CTX_DEFAULT), shmem_pe_quiet(NULL, 0), shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, &right, 1);
    check_both("shmem_ctx_pe_quiet on the default context", 5);
    prepare(6), issue(SHMEM_CTX_DEFAULT), shmem_barrier_all(), check_both("shmem_barrier_all", 6);
    prepare(7), issue(ctx), shmem_ctx_destroy(ctx), check_both("shmem_ctx_destroy", 7);
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, all, (size_t)npes);
    prepare(8), issue(SHMEM_CTX_DEFAULT), shmem_fence(), shmem_ctx_fence(SHMEM_CTX_DEFAULT);
    shmem_ctx_quiet(SHMEM_CTX_DEFAULT), check_both("shmem_ctx_quiet on the default context", 8);
    end();
    return 0;
}
