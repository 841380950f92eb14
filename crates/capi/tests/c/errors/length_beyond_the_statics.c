// pes: 2
// exit: nonzero
// says: \bPE 0\b
// says: shmem_getmem\b
// says: \bsource\b|\bnelems\b
// says: (?i)symmetric|static|segment
// A range that starts in the statics and leaves them.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)word;
    static char small[64];
    if (me == 0) shmem_getmem(malloc(1 << 30), small, (size_t)1 << 29, 1);
    end();
    return 0;
}
