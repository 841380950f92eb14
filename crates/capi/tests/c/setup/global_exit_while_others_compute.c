// pes: 2 4 7
// exit: 3
// Status 3 from one PE, the others in a loop that never calls the library.
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
    for (unsigned long x = 1; x != 0;) x = *(volatile long *)&word + 1UL;
    return 0;
}
