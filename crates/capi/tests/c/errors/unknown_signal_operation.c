// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_long_put_signal\b
// says: \bsig_op\b
// says: \b815\b
// says: SHMEM_SIGNAL
// A signal operation that is neither SET nor ADD.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    static uint64_t sig;
    if (me == 0) shmem_long_put_signal(&word, &word, 0, &sig, 1, 815, 1);
    shmem_barrier_all();
    end();
    return 0;
}
