// pes: 1 2 3 4 7 8
// Sums and products of complex numbers over teams of every shape: the product is not that of the parts.
#include "values.h"
#include <complex.h>

enum { LEN = 300, ROOM = LEN + 1 };
static struct samples all;

/* Of modulus at most 2, with parts that are small integers: products of eight are exact in float. */
#define TERM(T, pe, i) ((T)(((pe) + (i)) % 3 - 1 + (((pe) * 2 + (i)) % 3 - 1) * I))

#define DEFINE(NAME, T)                                                                                                \
    static void reduce_##NAME(const struct sample *one, int product, T *dest, T *source)                               \
    {                                                                                                                  \
        const char *what = product ? "shmem_" #NAME "_prod_reduce" : "shmem_" #NAME "_sum_reduce";                     \
        for (int i = 0; i < ROOM; i++) dest[i] = source[i] = TERM(T, one->me, i);                                      \
        CHECK(shmem_team_sync(one->team) == 0);                                                                        \
        CHECK((product ? shmem_##NAME##_prod_reduce(one->team, dest, source, LEN)                                      \
                       : shmem_##NAME##_sum_reduce(one->team, dest, source, LEN)) == 0);                               \
        for (int i = 0; i < LEN; i++) {                                                                                \
            T want = TERM(T, 0, i);                                                                                    \
            for (int pe = 1; pe < one->n; pe++) want = product ? want * TERM(T, pe, i) : want + TERM(T, pe, i);        \
            CHECK_OVER(one, what, i, creal(dest[i]), creal(want));                                                     \
            CHECK_OVER(one, what, i, cimag(dest[i]), cimag(want));                                                     \
        }                                                                                                              \
        CHECK_OVER(one, what, LEN, creal(dest[LEN]), creal(TERM(T, one->me, LEN)));                                    \
    }
COMPLEX_TYPES(DEFINE)

#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *memory = need(2 * ROOM * sizeof(T));                                                                        \
        EACH_SAMPLE(one, &all)                                                                                         \
            for (int k = 0; k < 4; k++) reduce_##NAME(one, k % 2, memory, k / 2 ? memory : memory + ROOM);             \
        shmem_free(memory);                                                                                            \
    }

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    samples_make(&all);
    COMPLEX_TYPES(RUN)
    samples_destroy(&all);
    end();
    return 0;
}
