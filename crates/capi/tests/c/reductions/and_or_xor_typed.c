// pes: 1 2 3 4 7 8
// and, or and xor in all 14 types over teams of every shape, to another array and in place.
#include "values.h"

enum { LEN = 21, ROOM = LEN + 1 };
static struct samples all;

#define OPERATION(NAME, T, OP, SIGN)                                                                                   \
    static void OP##_##NAME(const struct sample *one, T *dest, T *source)                                              \
    {                                                                                                                  \
        for (int i = 0; i < ROOM; i++) dest[i] = GUARD(T);                                                             \
        for (int i = 0; i < LEN; i++) source[i] = BITS(T, one->me, i);                                                 \
        CHECK(shmem_team_sync(one->team) == 0);                                                                        \
        CHECK(shmem_##NAME##_##OP##_reduce(one->team, dest, source, LEN) == 0);                                        \
        for (int i = 0; i < LEN; i++) {                                                                                \
            T want = BITS(T, 0, i);                                                                                    \
            for (int pe = 1; pe < one->n; pe++) want = (T)(want SIGN BITS(T, pe, i));                                  \
            CHECK_OVER(one, "shmem_" #NAME "_" #OP "_reduce", i, dest[i], want);                                       \
        }                                                                                                              \
        CHECK_OVER(one, "guard of shmem_" #NAME "_" #OP "_reduce", LEN, dest[LEN], GUARD(T));                          \
    }

#define DEFINE(NAME, T)                                                                                                \
    OPERATION(NAME, T, and, &)                                                                                         \
    OPERATION(NAME, T, or, |)                                                                                          \
    OPERATION(NAME, T, xor, ^)                                                                                         \
    static T static_##NAME[2 * ROOM];                                                                                  \
                                                                                                                       \
    static void all_##NAME(T *memory)                                                                                  \
    {                                                                                                                  \
        EACH_SAMPLE(one, &all)                                                                                         \
            for (int place = 0; place < 2; place++) { /* apart, then in place */                                       \
                T *source = place ? memory : memory + ROOM;                                                            \
                and_##NAME(one, memory, source);                                                                       \
                or_##NAME(one, memory, source);                                                                        \
                xor_##NAME(one, memory, source);                                                                       \
            }                                                                                                          \
        shmem_barrier_all();                                                                                           \
    }
BITWISE_REDUCE_TYPES(DEFINE)

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
    BITWISE_REDUCE_TYPES(RUN)
    samples_destroy(&all);
    end();
    return 0;
}
