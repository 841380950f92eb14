// pes: 2 4
// exit: nonzero
// says: \bPE [0-3]\b
// says: shmem_malloc\b
// says: differ
// says: same arguments
// PEs that allocate different sizes are told at once, not when an address means two things.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)need(100);
    (void)need(me == 1 ? 3000 : 300);
    end();
    return 0;
}
