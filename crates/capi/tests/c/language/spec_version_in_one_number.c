// pes: 1
// The version of the specification in one number, by which Open MPI's examples decide whether they can be compiled.
#include "check.h"

#if !defined(OSHMEM_SPEC_VERSION) || OSHMEM_SPEC_VERSION < 10200
#error "this program wants OpenSHMEM 1.2"
#endif

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK_EQ(OSHMEM_SPEC_VERSION, 10000 * SHMEM_MAJOR_VERSION + 100 * SHMEM_MINOR_VERSION);
    end();
    return 0;
}
