// pes: 2 4
// exit: 6
// An exit handler that waits for other PEs does not keep the job alive: they have been notified, and it is ended.
#include "check.h"
#include <stdlib.h>
#include <unistd.h>

static void waits(void)
{
    shmem_barrier_all();
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    atexit(waits);
    shmem_barrier_all();
    if (me == 0) shmem_global_exit(6);
    for (;;) pause();
}
