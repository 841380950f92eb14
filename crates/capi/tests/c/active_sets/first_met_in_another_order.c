// pes: 3
// Two threads of PE 0 use two active sets for the first time at once; the others come to them one after the other with one
// thread, PE 1 to both.
#include "sets.h"
#include "threads/team.h"

static struct sync syncs[2];
static int me, npes;
static const struct set sets[2] = {{0, 0, 2}, {0, 1, 2}}, later = {1, 0, 2};

static void *meet(void *arg)
{
    long t = (long)arg;
    if (t < 2) shmem_barrier(sets[t].start, sets[t].log_stride, sets[t].size, syncs[t].words);
    return NULL;
}

int main(void)
{
    static struct sync last;
    begin_threaded(&me, &npes);
    sync_init(&syncs[0]), sync_init(&syncs[1]), sync_init(&last);
    shmem_barrier_all();
    if (me == 0) run_threads(meet);
    usleep(20000);
    if (me == 1) { // PE 2 is waited for here first, which comes from its meeting with PE 0
        shmem_barrier(later.start, later.log_stride, later.size, last.words);
        meet((void *)0L);
    }
    if (me == 2) {
        meet((void *)1L);
        shmem_barrier(later.start, later.log_stride, later.size, last.words);
    }
    shmem_barrier_all();
    end();
    return 0;
}
