// pes: 1 2 3 4 8
// barrier and sync may use the same pSync at once again with the same set: 20,000 times, PEs late at random, in statics and in
// the heap. A barrier completes puts of the default context, a sync does not let anybody go early.
#include "sets.h"

enum { TIMES = 20000 };
static struct sync static_sync;
static long arrived[8], data[8];

static void around(struct sync *sync, const struct set *set, int me)
{
    int mine = set_index(set, me), next = set_member(set, (mine + 1) % set->size);
    unsigned seed = 5u + (unsigned)me;
    memset(arrived, 0, sizeof arrived);
    memset(data, 0, sizeof data);
    shmem_barrier(set->start, set->log_stride, set->size, sync->words);
    for (long i = 1; i <= TIMES; i++) {
        if (((seed = seed * 69069u + 1u) >> 16) % 4000 == 0) usleep(500);
        shmem_long_put_nbi(&data[mine], &i, 1, next);
        shmem_barrier(set->start, set->log_stride, set->size, sync->words);
        CHECK_EQ(data[(mine + set->size - 1) % set->size], i);
        shmem_long_atomic_set(&arrived[mine], i, next);
        shmem_quiet();
        shmem_sync(set->start, set->log_stride, set->size, sync->words);
        CHECK_EQ(arrived[(mine + set->size - 1) % set->size], i);
    }
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    struct sync *heap_sync = need(sizeof *heap_sync);
    struct set all = {0, 0, npes}, odd = {1, 1, npes / 2}, even = {0, 1, (npes + 1) / 2};
    sync_init(heap_sync), sync_init(&static_sync);
    shmem_barrier_all();
    around(heap_sync, &all, me);
    shmem_barrier_all();
    around(&static_sync, me % 2 ? &odd : &even, me); // the same array for sets that have no PE in common
    shmem_barrier_all();
    sync_check("shmem_barrier and shmem_sync", heap_sync);
    sync_check("shmem_barrier and shmem_sync", &static_sync);
    end();
    return 0;
}
