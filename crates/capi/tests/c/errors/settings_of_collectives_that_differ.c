// pes: 3
// exit: nonzero
// says: PE 1 and PE 0 have different settings of collectives
// says: SHMEM_\*_ALGORITHM
// A wrapper that sets a variable for some of the PEs: they would select other algorithms than the rest, and deadlock.
#include "check.h"
#include <string.h>

int main(void)
{
    const char *pe = getenv("FERRITE_PE");
    if (pe != NULL && strcmp(pe, "1") == 0) setenv("SHMEM_REDUCE_ALGORITHM", "doubling", 1);
    int me, npes;
    begin(&me, &npes);
    end();
    return 0;
}
