// pes: 1 2
// timeout: 300
// When the maximum number of contexts exists, creating one returns nonzero and SHMEM_CTX_INVALID; the others still work, and
// destroying one makes room. The PEs need not all reach the maximum.
#include "check.h"

enum { MANY = 1 << 18 };
static shmem_ctx_t ctx[MANY];
static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int to = (me + 1) % npes;
    if (me == 0) {
        int count = 0;
        while (count < MANY && shmem_ctx_create(0, &ctx[count]) == 0) count++;
        CHECK(256 < count && count < MANY);
        CHECK(ctx[count] == SHMEM_CTX_INVALID);
        shmem_ctx_long_p(ctx[count - 1], &word, 1, to), shmem_ctx_quiet(ctx[count - 1]);
        CHECK_EQ(shmem_long_g(&word, to), 1);
        shmem_ctx_destroy(ctx[--count]);
        CHECK_EQ(shmem_ctx_create(0, &ctx[count++]), 0);
        shmem_ctx_long_p(ctx[count - 1], &word, 2, to), shmem_ctx_quiet(ctx[count - 1]);
        CHECK_EQ(shmem_long_g(&word, to), 2);
        while (count > 0) shmem_ctx_destroy(ctx[--count]);
    }
    shmem_barrier_all();
    end();
    return 0;
}
