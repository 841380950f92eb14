/* Shared by the programs of collectives: active sets of all PEs, and work arrays used in turn.
 *
 * A collective whose result needs every PE's data cannot begin on any PE before every PE has entered it, so the previous
 * call has ended everywhere: two work arrays in turn are enough. A broadcast's root may run ahead: it uses any number of
 * arrays, with a barrier before they are reused. */
#ifndef FERRITE_COLLECTIVE_H
#define FERRITE_COLLECTIVE_H

#include "bench.h"

/* `sets` pSync arrays of `longs` elements each, ready for use on every PE after the next barrier. */
static long *collective_sync(size_t sets, size_t longs)
{
    long *sync = bench_symmetric(sets * longs * sizeof *sync);
    for (size_t i = 0; i < sets * longs; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    return sync;
}

#endif
