// pes: 1 2 3 4 7 8
// Inclusive and exclusive sums in all 26 types over teams of every shape, in the team's order, apart and in place; the first
// PE's exclusive sum is zero, both parts of it where the type is complex.
#include "values.h"
#include <complex.h>

enum { LEN = 13, ROOM = LEN + 1 };
static struct samples all;

#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME[2 * ROOM];                                                                                  \
                                                                                                                       \
    static void scan_##NAME(const struct sample *one, int inclusive, T *dest, T *source)                               \
    {                                                                                                                  \
        const char *what = inclusive ? "shmem_" #NAME "_sum_inscan" : "shmem_" #NAME "_sum_exscan";                    \
        for (int i = 0; i < ROOM; i++) dest[i] = GUARD(T);                                                             \
        for (int i = 0; i < LEN; i++) source[i] = TERM(T, one->me, i);                                                 \
        CHECK(shmem_team_sync(one->team) == 0);                                                                        \
        CHECK((inclusive ? shmem_##NAME##_sum_inscan(one->team, dest, source, LEN)                                     \
                         : shmem_##NAME##_sum_exscan(one->team, dest, source, LEN)) == 0);                             \
        for (int i = 0; i < LEN; i++) {                                                                                \
            T want = 0;                                                                                                \
            for (int pe = 0; pe < one->me + inclusive; pe++) want = (T)(want + TERM(T, pe, i));                        \
            SAME(one, what, i, dest[i], want);                                                                         \
        }                                                                                                              \
        SAME(one, what, LEN, dest[LEN], GUARD(T));                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    static void all_##NAME(T *memory)                                                                                  \
    {                                                                                                                  \
        EACH_SAMPLE(one, &all)                                                                                         \
            for (int k = 0; k < 4; k++) scan_##NAME(one, k % 2, memory, k / 2 ? memory : memory + ROOM);               \
        shmem_barrier_all();                                                                                           \
    }

#define SAME CHECK_OVER
#define TERM SPREAD
RMA_TYPES(DEFINE)
#undef SAME
#undef TERM

#define SAME(one, what, index, got, want)                                                                              \
    CHECK_OVER(one, what, index, creal(got), creal(want));                                                             \
    CHECK_OVER(one, what, index, cimag(got), cimag(want))
#define TERM(T, pe, i) ((T)(SPREAD(int, pe, i) + SPREAD(int, i, pe) * I))
COMPLEX_TYPES(DEFINE)

#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *heap = need(2 * ROOM * sizeof(T));                                                                          \
        all_##NAME(heap);                                                                                              \
        all_##NAME(static_##NAME);                                                                                     \
        shmem_free(heap);                                                                                              \
    }

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    samples_make(&all);
    RMA_TYPES(RUN)
    COMPLEX_TYPES(RUN)
    samples_destroy(&all);
    end();
    return 0;
}
