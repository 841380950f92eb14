// pes: 1 2 4
// Leaving main without shmem_finalize, each PE at its own time, ends the job with status 0 and does not hang it.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_barrier_all();
    usleep(20000 * (unsigned)me);
    return 0;
}
