// pes: 1 2
// exit: nonzero
// says: shmem_long_g\b
// says: called after shmem_finalize
// says: \(call_after_finalize\.c:16\)
// A call after the last finalize.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    end();
    return (int)shmem_long_g(&word, 0);
}
