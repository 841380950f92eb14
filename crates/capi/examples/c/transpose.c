/* Transpose a square matrix whose rows are distributed over the PEs: each PE packs its rows into one block for every PE,
 * an all-to-all exchanges the blocks, and each PE transposes those it received.
 *
 *     oshcc -O2 transpose.c -o transpose && oshrun -n 4 ./transpose --rows 512
 */
#include "example.h"

/* The initial value of the matrix. */
static double held(long row, long column, long n) {
    return (double)(row * n + column);
}

int main(int argc, char **argv) {
    shmem_init();
    struct option_row options[] = {
        {"rows", 128, 1, 100000, "rows of each PE"},
        {"rounds", 11, 1, 1000000000, "times that the matrix is transposed"},
    };
    read_options(argc, argv, "transpose", "a matrix is transposed by an all-to-all", options, OPTIONS(options));
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    const long rows = options[0].value, rounds = options[1].value, n = rows * npes, block = rows * rows;

    double *matrix = private_memory((size_t)(rows * n), sizeof *matrix);
    double *packed = symmetric((size_t)(rows * n), sizeof *packed), *got = symmetric((size_t)(rows * n), sizeof *got);
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < n; j++) matrix[i * n + j] = held(me * rows + i, j, n);
    shmem_barrier_all();

    const double begin = seconds();
    for (long round = 0; round < rounds; round++) {
        for (long pe = 0; pe < npes; pe++)
            for (long i = 0; i < rows; i++)
                memcpy(packed + pe * block + i * rows, matrix + i * n + pe * rows, (size_t)rows * sizeof *packed);
        exchange_words(got, packed, (size_t)block);
        for (long pe = 0; pe < npes; pe++)
            for (long i = 0; i < rows; i++)
                for (long j = 0; j < rows; j++) matrix[i * n + pe * rows + j] = got[pe * block + j * rows + i];
        shmem_barrier_all(); /* all PEs have read their blocks, which may now be overwritten */
    }
    const double took = real_max_over_all(seconds() - begin);

    long wrong = 0;
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < n; j++) {
            const long row = me * rows + i;
            wrong += matrix[i * n + j] != (rounds % 2 != 0 ? held(j, row, n) : held(row, j, n));
        }
    const double bytes = (double)n * (double)n * sizeof(double) * (double)rounds;
    return finish("transpose", wrong, bytes / took / 1e6, "MB/s", took, options, OPTIONS(options));
}
