/* A histogram over all PEs: each has a list of random bins, and counts each of them up by one, wherever it lies.
 *
 *     oshcc -O2 histogram.c -o histogram && oshrun -n 4 ./histogram --bins 1000 --items 1000000
 */
#include "example.h"

int main(int argc, char **argv) {
    shmem_init();
    struct option_row options[] = {
        {"bins", 1000, 1, 1L << 32, "bins of each PE"},
        {"items", 65536, 1, 1L << 32, "items that each PE counts"},
    };
    read_options(argc, argv, "histogram", "counters of all PEs, counted up by all", options, OPTIONS(options));
    const uint64_t bins = (uint64_t)options[0].value;
    const long items = options[1].value;
    const int me = shmem_my_pe(), npes = shmem_n_pes();

    long *counts = symmetric(bins, sizeof *counts);
    uint64_t *drawn = private_memory((size_t)items, sizeof *drawn);
    uint64_t stream = random_stream(me);
    for (long i = 0; i < items; i++) drawn[i] = next_random(&stream);
    shmem_barrier_all();

    const double begin = seconds();
    for (long i = 0; i < items; i++)
        shmem_long_atomic_inc(&counts[below(drawn[i], bins)], (int)below(drawn[i] >> 32, (uint64_t)npes));
    shmem_barrier_all();
    const double took = real_max_over_all(seconds() - begin);

    /* Each PE counts its own bins again, from what all PEs have drawn. */
    long wrong = sum_over_all(0);
    for (int pe = 0; pe < npes; pe++) {
        stream = random_stream(pe);
        for (long i = 0; i < items; i++) {
            const uint64_t r = next_random(&stream);
            if ((int)below(r >> 32, (uint64_t)npes) == me) counts[below(r, bins)]--;
        }
    }
    for (uint64_t i = 0; i < bins; i++) wrong += counts[i] != 0;
    return finish("histogram", wrong, (double)items * npes / took / 1e6, "Mitems/s", took, options, OPTIONS(options));
}
