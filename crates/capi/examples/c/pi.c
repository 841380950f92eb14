/* Pi as the integral of 4 / (1 + x * x) from 0 to 1: every PE adds up its share of the intervals, and a reduction adds up
 * the PEs.
 *
 *     oshcc -O2 pi.c -o pi && oshrun -n 4 ./pi --intervals 1000000
 */
#include "example.h"

#include <math.h>

int main(int argc, char **argv) {
    shmem_init();
    struct option_row options[] = {
        {"intervals", 2000000, 1, 1000000000000, "intervals that all PEs share"},
    };
    read_options(argc, argv, "pi", "pi by a sum over all PEs", options, OPTIONS(options));
    const long n = options[0].value;
    const int me = shmem_my_pe(), npes = shmem_n_pes();

    shmem_barrier_all();
    const double begin = seconds();
    double part = 0;
    for (long i = me; i < n; i += npes) {
        const double x = ((double)i + 0.5) / (double)n;
        part += 4 / (1 + x * x);
    }
    const double pi = real_sum_over_all(part) / (double)n;
    const double took = real_max_over_all(seconds() - begin);

    /* The error of the midpoint rule is 1 / (12 n^2) here, and that of a sum of n terms the rounding of each. */
    const double exact = 3.14159265358979323846;
    const double tolerance = 0.1 / ((double)n * (double)n) + 1e-15 * sqrt((double)n) + 1e-13;
    if (me == 0) printf("pi is about %.12f\n", pi);
    return finish("pi", fabs(pi - exact) > tolerance, (double)n / took / 1e6, "Mintervals/s", took, options,
                  OPTIONS(options));
}
