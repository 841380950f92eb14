// pes: 1 2 3 4 7 8
// max, min, sum and prod in all 24 real types over teams of every shape, to another array and in place, in the heap and in
// statics. Comparison is that of the type, sums and products of integers wrap, and no element outside is touched.
#include "values.h"

enum { LEN = 19, ROOM = LEN + 1 };
enum operation { MAX, MIN, SUM, PROD, OPERATIONS };
static struct samples all;

#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME[2 * ROOM];                                                                                  \
                                                                                                                       \
    static T term_##NAME(enum operation op, int pe, int i)                                                             \
    {                                                                                                                  \
        return op == PROD ? FACTOR(T, pe, i) : SPREAD(T, pe, i);                                                       \
    }                                                                                                                  \
                                                                                                                       \
    static T combine_##NAME(enum operation op, T a, T b)                                                               \
    {                                                                                                                  \
        switch (op) {                                                                                                  \
        case MAX: return a > b ? a : b;                                                                                \
        case MIN: return a < b ? a : b;                                                                                \
        case SUM: return (T)(a + b);                                                                                   \
        default: return (T)(a * b);                                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static int call_##NAME(enum operation op, shmem_team_t team, T *dest, const T *source)                             \
    {                                                                                                                  \
        switch (op) {                                                                                                  \
        case MAX: return shmem_##NAME##_max_reduce(team, dest, source, LEN);                                           \
        case MIN: return shmem_##NAME##_min_reduce(team, dest, source, LEN);                                           \
        case SUM: return shmem_##NAME##_sum_reduce(team, dest, source, LEN);                                           \
        default: return shmem_##NAME##_prod_reduce(team, dest, source, LEN);                                           \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void reduce_##NAME(const struct sample *one, enum operation op, T *dest, T *source)                         \
    {                                                                                                                  \
        static const char *const names[] = {#NAME "_max_reduce", #NAME "_min_reduce", #NAME "_sum_reduce",             \
                                            #NAME "_prod_reduce"};                                                     \
        for (int i = 0; i < ROOM; i++) dest[i] = GUARD(T);                                                             \
        for (int i = 0; i < LEN; i++) source[i] = term_##NAME(op, one->me, i);                                         \
        CHECK(shmem_team_sync(one->team) == 0);                                                                        \
        CHECK(call_##NAME(op, one->team, dest, source) == 0);                                                          \
        for (int i = 0; i < LEN; i++) {                                                                                \
            T want = term_##NAME(op, 0, i);                                                                            \
            for (int pe = 1; pe < one->n; pe++) want = combine_##NAME(op, want, term_##NAME(op, pe, i));               \
            CHECK_OVER(one, names[op], i, dest[i], want);                                                              \
            if (source != dest) CHECK_OVER(one, "the source", i, source[i], term_##NAME(op, one->me, i));              \
        }                                                                                                              \
        CHECK_OVER(one, names[op], LEN, dest[LEN], GUARD(T));                                                          \
    }                                                                                                                  \
                                                                                                                       \
    static void all_##NAME(T *memory)                                                                                  \
    {                                                                                                                  \
        EACH_SAMPLE(one, &all)                                                                                         \
            for (int op = 0; op < OPERATIONS; op++) {                                                                  \
                reduce_##NAME(one, (enum operation)op, memory, memory + ROOM);                                         \
                reduce_##NAME(one, (enum operation)op, memory, memory);                                                \
            }                                                                                                          \
        shmem_barrier_all();                                                                                           \
    }
RMA_TYPES(DEFINE)

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
    samples_destroy(&all);
    end();
    return 0;
}
