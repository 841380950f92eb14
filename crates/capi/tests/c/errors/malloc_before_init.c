// pes: 1 2
// exit: nonzero
// says: shmem_malloc\b
// says: (?i)init
// Allocation before any init.
#include "check.h"

int main(void)
{
    return shmem_malloc(8) == NULL;
}
