// pes: 2
// env: SHMEM_COLL_RADIX=16
// env: SHMEM_BARRIER_ALGORITHM=hierarchical
// env: SHMEM_OFI_PUT_PIPELINE_DEPTH=0
// stderr: SHMEM_COLL_RADIX=16 is a value of Sandia OpenSHMEM; here it means SHMEM_COLL_RADIX=8, the widest tree
// stderr: SHMEM_BARRIER_ALGORITHM=hierarchical is a value of Sandia OpenSHMEM; here it means SHMEM_BARRIER_ALGORITHM=auto
// stderr: SHMEM_OFI_PUT_PIPELINE_DEPTH=0 is a value of Sandia OpenSHMEM; here it means SHMEM_OFI_PUT_PIPELINE_DEPTH=1024
// Values that only another library has are reported, and the nearest one is used.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_barrier_all();
    end();
    return 0;
}
