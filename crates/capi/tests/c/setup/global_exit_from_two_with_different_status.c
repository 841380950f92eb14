// pes: 2 4
// exit: 5|6
// Two PEs end the job at once with different codes: one of the two codes wins.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_barrier_all();
    if (me < 2) shmem_global_exit(5 + me);
    for (;;) shmem_barrier_all();
}
