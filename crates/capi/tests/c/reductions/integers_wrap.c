// pes: 2 3 4 8
// Sums and products beyond the type wrap, in every integer type; the extremes of each type survive max and min.
#include "samples.h"
#include <limits.h>

#define INTEGER_TYPES(X)                                                                                               \
    STANDARD_TYPES(X)                                                                                                  \
    X(char, char)                                                                                                      \
    X(schar, signed char)                                                                                              \
    X(short, short)                                                                                                    \
    X(uchar, unsigned char)                                                                                            \
    X(ushort, unsigned short)                                                                                          \
    X(int8, int8_t)                                                                                                    \
    X(int16, int16_t)                                                                                                  \
    X(uint8, uint8_t)                                                                                                  \
    X(uint16, uint16_t)

enum { LEN = 70 };
static struct samples all;

#define DEFINE(NAME, T)                                                                                                \
    static T dest_##NAME[LEN], source_##NAME[LEN];                                                                     \
    static void wrap_##NAME(const struct sample *one)                                                                  \
    {                                                                                                                  \
        T *dest = dest_##NAME, *source = source_##NAME;                                                                \
        T lowest = (T)-1 > 0 ? 0 : (T)((uint64_t)1 << (sizeof(T) * CHAR_BIT - 1)), highest = (T)(lowest - 1u);         \
        uint64_t product = 1;                                                                                          \
        for (int pe = 0; pe < one->n; pe++) product *= 0x1234567 * 2 + 1 + 2 * (uint64_t)pe;                           \
        for (int i = 0; i < LEN; i++) source[i] = (T)(0x1234567 * 2 + 1 + 2 * one->me);                                \
        CHECK(shmem_team_sync(one->team) == 0);                                                                        \
        CHECK(shmem_##NAME##_prod_reduce(one->team, dest, source, LEN) == 0);                                          \
        for (int i = 0; i < LEN; i++) CHECK_OVER(one, "shmem_" #NAME "_prod_reduce", i, dest[i], (T)product);          \
        for (int i = 0; i < LEN; i++) source[i] = highest;                                                             \
        CHECK(shmem_team_sync(one->team) == 0);                                                                        \
        CHECK(shmem_##NAME##_sum_reduce(one->team, dest, source, LEN) == 0);                                           \
        for (int i = 0; i < LEN; i++)                                                                                  \
            CHECK_OVER(one, "shmem_" #NAME "_sum_reduce", i, dest[i], (T)((uint64_t)highest * (uint64_t)one->n));      \
        for (int i = 0; i < LEN; i++) source[i] = one->me == i % one->n ? highest : lowest;                            \
        CHECK(shmem_team_sync(one->team) == 0);                                                                        \
        CHECK(shmem_##NAME##_max_reduce(one->team, dest, source, LEN) == 0);                                           \
        for (int i = 0; i < LEN; i++) CHECK_OVER(one, "shmem_" #NAME "_max_reduce", i, dest[i], highest);              \
        CHECK(shmem_team_sync(one->team) == 0);                                                                        \
        CHECK(shmem_##NAME##_min_reduce(one->team, dest, source, LEN) == 0);                                           \
        for (int i = 0; i < LEN; i++)                                                                                  \
            CHECK_OVER(one, "shmem_" #NAME "_min_reduce", i, dest[i], one->n > 1 ? lowest : highest);                  \
    }
INTEGER_TYPES(DEFINE)

#define RUN(NAME, T) wrap_##NAME(one);

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    samples_make(&all);
    EACH_SAMPLE(one, &all) { INTEGER_TYPES(RUN) }
    samples_destroy(&all);
    end();
    return 0;
}
