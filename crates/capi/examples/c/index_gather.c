/* Index gather: every PE has a list of random places in a table that is distributed over all PEs, and gets the word at each
 * of them, many at a time.
 *
 *     oshcc -O2 index_gather.c -o index_gather && oshrun -n 4 ./index_gather --words 100000 --reads 1000000
 */
#include "example.h"

/* The value of the table at `word` of `pe`. */
static uint64_t held(int pe, uint64_t word) {
    uint64_t state = (uint64_t)pe << 40 ^ word;
    return next_random(&state);
}

int main(int argc, char **argv) {
    shmem_init();
    struct option_row options[] = {
        {"words", 100000, 1, 1L << 32, "words of each PE's part of the table"},
        {"reads", 65536, 1, 1L << 32, "words that each PE reads"},
        {"window", 1024, 1, 1L << 32, "reads between two calls of shmem_quiet"},
    };
    read_options(argc, argv, "index_gather", "random reads from the words of all PEs", options, OPTIONS(options));
    const uint64_t words = (uint64_t)options[0].value;
    const long reads = options[1].value, window = options[2].value;
    const int me = shmem_my_pe(), npes = shmem_n_pes();

    uint64_t *table = symmetric(words, sizeof *table);
    for (uint64_t i = 0; i < words; i++) table[i] = held(me, i);
    uint64_t *index = private_memory((size_t)reads, sizeof *index), *found = private_memory((size_t)reads, sizeof *found);
    uint64_t stream = random_stream(me);
    for (long i = 0; i < reads; i++) index[i] = next_random(&stream);
    shmem_barrier_all();

    const double begin = seconds();
    for (long i = 0; i < reads;) {
        const long end = reads - i < window ? reads : i + window;
        for (; i < end; i++)
            shmem_uint64_get_nbi(&found[i], &table[below(index[i], words)], 1,
                                 (int)below(index[i] >> 32, (uint64_t)npes));
        shmem_quiet();
    }
    const double took = real_max_over_all(seconds() - begin);

    long wrong = 0;
    for (long i = 0; i < reads; i++)
        wrong += found[i] != held((int)below(index[i] >> 32, (uint64_t)npes), below(index[i], words));
    return finish("index_gather", wrong, (double)reads * npes / took / 1e6, "Mreads/s", took, options,
                  OPTIONS(options));
}
