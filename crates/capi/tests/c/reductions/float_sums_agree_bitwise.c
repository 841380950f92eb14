// pes: 2 3 5 8
// each: SHMEM_REDUCE_ALGORITHM = auto | doubling | whole | board | direct | rabenseifner | relay | ring | tree
// Sums and products of floating point numbers whose value depends on the order: every PE has the same bits, every time, at
// every length, in place or not.
#include "samples.h"

static const int counts[] = {1, 2, 7, 13, 14, 15, 64, 511, 513, 2047, 2049, 9000, 40000};
enum { COUNTS = sizeof counts / sizeof *counts, MOST = 40000 };
static struct samples all;

static double awkward(int pe, int i)
{
    static const double scale[] = {1e-9, 1.0, 1e9, -1e9, 3e-3, -1.0 / 3, 1e5, -7e8};
    return scale[(pe + i) % 8] * (1.0 + 0.37 * ((i * 7919 + pe * 31) % 1000));
}

#define DEFINE(NAME, T, BYTES)                                                                                         \
    static void agree_##NAME(const struct sample *one, int count, const T *got, T *first)                              \
    {                                                                                                                  \
        CHECK(shmem_broadcastmem(one->team, first, got, count * sizeof(T), 0) == 0);                                   \
        for (int i = 0; i < count; i++)                                                                                \
            if (memcmp(&first[i], &got[i], BYTES) != 0)                                                                \
                FAIL("shmem_" #NAME "_sum or prod over %s of %d: element %d of %d is %La on PE 0, %La on PE %d",       \
                     one->name, one->n, i, count, (long double)first[i], (long double)got[i], one->me);                \
    }                                                                                                                  \
                                                                                                                       \
    static void all_##NAME(void)                                                                                       \
    {                                                                                                                  \
        T *source = need(4 * MOST * sizeof(T)), *dest = source + MOST, *again = dest + MOST, *first = again + MOST;    \
        EACH_SAMPLE(one, &all)                                                                                         \
            for (int k = 0; k < COUNTS; k++) {                                                                         \
                for (int i = 0; i < counts[k]; i++) source[i] = again[i] = (T)awkward(one->me, i);                     \
                CHECK(shmem_team_sync(one->team) == 0);                                                                \
                CHECK(shmem_##NAME##_sum_reduce(one->team, dest, source, counts[k]) == 0);                             \
                agree_##NAME(one, counts[k], dest, first);                                                             \
                CHECK(shmem_##NAME##_sum_reduce(one->team, again, again, counts[k]) == 0);                             \
                agree_##NAME(one, counts[k], again, first);                                                            \
                for (int i = 0; i < counts[k]; i++) source[i] = (T)(1 + awkward(one->me, i) * 1e-9);                   \
                CHECK(shmem_team_sync(one->team) == 0);                                                                \
                CHECK(shmem_##NAME##_prod_reduce(one->team, dest, source, counts[k]) == 0);                            \
                agree_##NAME(one, counts[k], dest, first);                                                             \
            }                                                                                                          \
        shmem_free(source);                                                                                            \
    }
DEFINE(float, float, sizeof(float))
DEFINE(double, double, sizeof(double))
DEFINE(longdouble, long double, 10)

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    samples_make(&all);
    all_float();
    all_double();
    if (sizeof(long double) == 16) all_longdouble();
    samples_destroy(&all);
    end();
    return 0;
}
