// pes: 2 4
// exit: nonzero
// says: \bPE [0-3]\b
// says: shmem_malloc\b
// says: differ
// says: same arguments
// Allocations of different sizes are reported at once, not when an address first means two things.
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
