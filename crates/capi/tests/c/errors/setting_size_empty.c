// pes: 1 2
// exit: nonzero
// env: SHMEM_SYMMETRIC_SIZE=
// says: SHMEM_SYMMETRIC_SIZE
// says: (?i)empty|""|''
// An empty heap size.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    end();
    return 0;
}
