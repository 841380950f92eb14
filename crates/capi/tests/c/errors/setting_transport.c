// pes: 2
// exit: nonzero
// env: SHMEM_TRANSPORT=carrier-pigeon
// says: SHMEM_TRANSPORT
// says: carrier-pigeon
// says: \bshm\b
// A transport that does not exist: the known ones are listed.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    end();
    return 0;
}
