// pes: 1 2 4
// exit: 0
// stdout: flushed without a newline
// global_exit(0) from one PE ends the others, blocked in a barrier, and the job's status is 0; stdio of the caller is flushed.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    if (me == npes - 1) {
        printf("flushed without a newline");
        shmem_global_exit(0);
    }
    for (;;) shmem_barrier_all();
}
