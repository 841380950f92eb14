/* Random memory access: every PE updates random words of a table that is distributed over all PEs, with an atomic
 * exclusive or. The figure is in units of 10^9 updates a second. With -DAGGREGATE the updates use an aggregator of Ferrite.
 *
 *     oshcc -O2 gups.c -o gups && oshrun -n 4 ./gups --words 1048576 --updates 1000000
 */
#include "example.h"

#ifdef AGGREGATE
#include <shmemx.h>
#define NAME "gups_aggregated"
#else
#define NAME "gups"
#endif

int main(int argc, char **argv) {
    shmem_init();
    struct option_row options[] = {
        {"words", 65536, 1, 1L << 32, "words of each PE's part of the table"},
        {"updates", 65536, 1, 1L << 40, "updates that each PE makes"},
    };
    read_options(argc, argv, NAME, "random access to the words of all PEs", options, OPTIONS(options));
    const uint64_t words = (uint64_t)options[0].value;
    const long updates = options[1].value;
    const int me = shmem_my_pe(), npes = shmem_n_pes();

    uint64_t *table = symmetric(words, sizeof *table);
    for (uint64_t i = 0; i < words; i++) table[i] = (uint64_t)me * words + i;
#ifdef AGGREGATE
    shmemx_agg_t agg;
    if (shmemx_agg_create(0, NULL, NULL, 0, &agg) != 0) give_up("there is no aggregator");
#endif
    shmem_barrier_all();

    const double begin = seconds();
    uint64_t stream = random_stream(me);
    for (long i = 0; i < updates; i++) {
        const uint64_t r = next_random(&stream);
        const int pe = (int)below(r >> 32, (uint64_t)npes);
#ifdef AGGREGATE
        shmemx_agg_xor(agg, &table[below(r, words)], r, pe);
#else
        shmem_uint64_atomic_xor(&table[below(r, words)], r, pe);
#endif
    }
    shmem_barrier_all();
    const double took = real_max_over_all(seconds() - begin);

    /* Each PE replays the updates of all PEs on its own part, which restores correct words to their initial values. */
    for (int pe = 0; pe < npes; pe++) {
        stream = random_stream(pe);
        for (long i = 0; i < updates; i++) {
            const uint64_t r = next_random(&stream);
            if ((int)below(r >> 32, (uint64_t)npes) == me) table[below(r, words)] ^= r;
        }
    }
    long wrong = 0;
    for (uint64_t i = 0; i < words; i++) wrong += table[i] != (uint64_t)me * words + i;
#ifdef AGGREGATE
    shmemx_agg_destroy(&agg);
#endif
    return finish(NAME, wrong, (double)updates * npes / took / 1e9, "GUP/s", took, options, OPTIONS(options));
}
