/* A histogram over all PEs: each PE has a list of random bins, on any PE, and adds one to each of them. With -DAGGREGATE
 * the additions use an aggregator of Ferrite.
 *
 *     oshcc -O2 histogram.c -o histogram && oshrun -n 4 ./histogram --bins 1000 --items 1000000
 */
#include "example.h"

#ifdef AGGREGATE
#include <shmemx.h>
#define NAME "histogram_aggregated"
#else
#define NAME "histogram"
#endif

int main(int argc, char **argv) {
    shmem_init();
    struct option_row options[] = {
        {"bins", 1000, 1, 1L << 32, "bins of each PE"},
        {"items", 65536, 1, 1L << 32, "items that each PE counts"},
    };
    read_options(argc, argv, NAME, "counters of all PEs, counted up by all", options, OPTIONS(options));
    const uint64_t bins = (uint64_t)options[0].value;
    const long items = options[1].value;
    const int me = shmem_my_pe(), npes = shmem_n_pes();

    long *counts = symmetric(bins, sizeof *counts);
    uint64_t *drawn = private_memory((size_t)items, sizeof *drawn);
    uint64_t stream = random_stream(me);
    for (long i = 0; i < items; i++) drawn[i] = next_random(&stream);
#ifdef AGGREGATE
    shmemx_agg_t agg;
    if (shmemx_agg_create(0, NULL, NULL, 0, &agg) != 0) give_up("there is no aggregator");
#endif
    shmem_barrier_all();

    const double begin = seconds();
    for (long i = 0; i < items; i++) {
        const int pe = (int)below(drawn[i] >> 32, (uint64_t)npes);
#ifdef AGGREGATE
        shmemx_agg_add(agg, (uint64_t *)&counts[below(drawn[i], bins)], 1, pe);
#else
        shmem_long_atomic_inc(&counts[below(drawn[i], bins)], pe);
#endif
    }
    shmem_barrier_all();
    const double took = real_max_over_all(seconds() - begin);

    /* Each PE counts its own bins again, from the draws of all PEs. */
    long wrong = sum_over_all(0);
    for (int pe = 0; pe < npes; pe++) {
        stream = random_stream(pe);
        for (long i = 0; i < items; i++) {
            const uint64_t r = next_random(&stream);
            if ((int)below(r >> 32, (uint64_t)npes) == me) counts[below(r, bins)]--;
        }
    }
    for (uint64_t i = 0; i < bins; i++) wrong += counts[i] != 0;
#ifdef AGGREGATE
    shmemx_agg_destroy(&agg);
#endif
    return finish(NAME, wrong, (double)items * npes / took / 1e6, "Mitems/s", took, options, OPTIONS(options));
}
