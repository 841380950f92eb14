// pes: 2 4 7
// exit: 3
// Status 3 from one PE, the others in a finalize that can never complete.
#include "check.h"

static long word, lock;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    if (me == 0) shmem_set_lock(&lock);
    word = 0;
    shmem_barrier_all();
    if (me == 0) {
        usleep(20000);
        shmem_global_exit(3);
    }
    end();
    return 0;
}
