// pes: 1 2
// exit: nonzero
// says: shmem_barrier_all\b
// says: (?i)init
// A barrier before any init.
#include "check.h"

int main(void)
{
    shmem_barrier_all();
    return 0;
}
