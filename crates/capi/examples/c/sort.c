/* Integer sort by an exchange of keys: each PE owns a range of values, counts its keys for each owner, reserves room at
 * the owner with a fetching add, puts the keys there in one block, and sorts the received keys by counting.
 *
 *     oshcc -O2 sort.c -o sort && oshrun -n 4 ./sort --keys 1000000
 */
#include "example.h"

/* The PE that owns `key`. */
static int owner(uint32_t key, uint32_t keys_of_one) {
    return (int)(key / keys_of_one);
}

int main(int argc, char **argv) {
    shmem_init();
    struct option_row options[] = {
        {"keys", 131072, 1, 1000000000, "keys of each PE"},
        {"values", 1 << 18, 1, 1 << 30, "keys are below this"},
        {"rounds", 3, 1, 1000000, "times that everything is sorted"},
    };
    read_options(argc, argv, "sort", "integer sort by an exchange of keys", options, OPTIONS(options));
    const long n = options[0].value, rounds = options[2].value;
    const uint32_t values = (uint32_t)options[1].value;
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    const uint32_t mine = (values + (uint32_t)npes - 1) / (uint32_t)npes, lowest = mine * (uint32_t)me;

    uint32_t *keys = private_memory((size_t)n, sizeof *keys), *bucketed = private_memory((size_t)n, sizeof *bucketed);
    long *sizes = private_memory((size_t)npes, sizeof *sizes), *begins = private_memory((size_t)npes, sizeof *begins);
    long *counted = private_memory(mine, sizeof *counted);
    long *expected = symmetric(1, sizeof *expected), *received = symmetric(1, sizeof *received);
    uint64_t stream = random_stream(me), checksum = 0;
    for (long i = 0; i < n; i++) {
        keys[i] = (uint32_t)below(next_random(&stream), values);
        checksum += (uint64_t)keys[i] * keys[i] + keys[i];
        sizes[owner(keys[i], mine)]++;
    }
    /* Room for the most keys that any PE receives, since symmetric blocks have the same size on all PEs. */
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++) shmem_long_atomic_add(expected, sizes[pe], pe);
    shmem_barrier_all();
    uint32_t *got = symmetric((size_t)max_over_all(*expected), sizeof *got);
    uint32_t *sorted = private_memory((size_t)*expected, sizeof *sorted);

    long wrong = 0;
    double took = 0;
    for (long round = 0; round < rounds; round++) {
        *received = 0;
        shmem_barrier_all();
        const double begin = seconds();
        memset(sizes, 0, (size_t)npes * sizeof *sizes);
        for (long i = 0; i < n; i++) sizes[owner(keys[i], mine)]++;
        for (long pe = 0, at = 0; pe < npes; at += sizes[pe++]) begins[pe] = at;
        for (long i = 0; i < n; i++) bucketed[begins[owner(keys[i], mine)]++] = keys[i];
        for (int k = 0; k < npes; k++) {
            const int pe = (me + k) % npes; /* each PE starts at another owner */
            const long at = shmem_long_atomic_fetch_add(received, sizes[pe], pe);
            shmem_putmem(got + at, bucketed + begins[pe] - sizes[pe], (size_t)sizes[pe] * sizeof *got, pe);
        }
        shmem_barrier_all();
        memset(counted, 0, mine * sizeof *counted);
        for (long i = 0; i < *received; i++) {
            if (got[i] - lowest < mine)
                counted[got[i] - lowest]++;
            else
                wrong++;
        }
        for (long k = 0, at = 0; k < (long)mine; k++)
            for (long i = 0; i < counted[k]; i++) sorted[at++] = lowest + (uint32_t)k;
        took += real_max_over_all(seconds() - begin);
    }

    /* Sorted, all in my range, and the same keys as before: their number and two sums over all PEs are equal. */
    wrong += *received != *expected;
    uint64_t after = 0;
    for (long i = 0; i < *received; i++) {
        after += (uint64_t)sorted[i] * sorted[i] + sorted[i];
        wrong += (i > 0 && sorted[i - 1] > sorted[i]) || owner(sorted[i], mine) != me;
    }
    wrong += sum_over_all(*received) != n * npes;
    wrong += sum_over_all((long)(checksum >> 1)) + sum_over_all((long)(checksum & 1)) / 2 !=
             sum_over_all((long)(after >> 1)) + sum_over_all((long)(after & 1)) / 2;
    return finish("sort", wrong, (double)n * npes * (double)rounds / took / 1e6, "Mkeys/s", took, options,
                  OPTIONS(options));
}
