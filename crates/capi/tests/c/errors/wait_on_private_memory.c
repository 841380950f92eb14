// pes: 2
// exit: nonzero
// says: PE 1
// says: shmem_long_wait_until
// says: ivar
// says: stack
// Waiting for a variable that no other PE can write would never end.
#include "check.h"

int main(void)
{
    int me, npes;
    long mine = 0;
    begin(&me, &npes);
    if (me == 1) shmem_long_wait_until(&mine, SHMEM_CMP_EQ, 1);
    end();
    return 0;
}
