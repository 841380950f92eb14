// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_ctx_double_put\b
// says: \bpe\b
// says: \b100\b
// A bad PE on a context names the ctx form of the routine.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    if (me == 0) shmem_ctx_double_put(ctx, (double *)&word, &(double){1}, 1, 100);
    shmem_barrier_all();
    end();
    return 0;
}
