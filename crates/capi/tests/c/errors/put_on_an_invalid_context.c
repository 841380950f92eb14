// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_ctx_long_p\b
// says: \bctx\b
// says: (?i)invalid
// Data on SHMEM_CTX_INVALID, which only fence, quiet, destroy and sessions take.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    if (me == 0) shmem_ctx_long_p(SHMEM_CTX_INVALID, &word, 1, 1);
    end();
    return 0;
}
