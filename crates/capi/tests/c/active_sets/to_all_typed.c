// pes: 1 2 3 4 7 8
// Every reduction with an old name over active sets of every stride, out of place and in place: pWrk has exactly the size that
// the specification requires, with a guard on either side, and every word of pSync is restored. nreduce covers odd, even and
// more than any buffer.
#include "sets.h"
#include <complex.h>

enum { MOST = 2500 };
static const int counts[] = {1, 2, 3, 8, 57, 513, MOST};
enum { COUNTS = sizeof counts / sizeof *counts };
static int me, npes, calls;
static struct sync syncs[3];
static struct set sets[SETS_MAX];

#define TERM(T, pe, i) ((T)(((pe) * 7 + (i) * 3) % 19 - 9))
#define SMALL(T, pe, i) ((T)(((pe) + (i)) % 2 + 1))
#define CTERM(T, pe, i) ((T)(((pe) * 7 + (i) * 3) % 19 - 9 + (((pe) + 2 * (i)) % 5 - 2) * I))
#define CSMALL(T, pe, i) ((T)(((pe) + (i)) % 2 + ((pe) + (i) + 1) % 2 * I))
#define BITS_OF(T, pe, i) ((T)(((pe) + 3) * 0x1234567 + (i) * 0x77))

#define SAME(what, i, got, want) CHECK_NTH(what, i, creal(got), creal(want)); CHECK_NTH(what, i, cimag(got), cimag(want))

#define OPERATION(NAME, T, OP, GIVEN, ONE)                                                                             \
    static void OP##_##NAME(const struct set *set, int mine, int count, T *dest, T *source, T *work)                   \
    {                                                                                                                  \
        T *pwrk = work + 1;                                                                                            \
        int size = work_size(count);                                                                                   \
        for (int i = 0; i < count; i++) source[i] = GIVEN(T, mine, i);                                                 \
        work[0] = pwrk[size] = dest[count] = GUARD(T);                                                                 \
        shmem_sync(set->start, set->log_stride, set->size, syncs[2].words);                                            \
        shmem_##NAME##_##OP##_to_all(dest, source, count, set->start, set->log_stride, set->size, pwrk,                \
                                     syncs[calls++ % 2].words);                                                        \
        for (int i = 0; i < count; i++) {                                                                              \
            T want = GIVEN(T, 0, i);                                                                                   \
            for (int pe = 1; pe < set->size; pe++) want = (T)(ONE(want, GIVEN(T, pe, i)));                             \
            SAME("shmem_" #NAME "_" #OP "_to_all", i, dest[i], want);                                                  \
        }                                                                                                              \
        SAME("guard of dest", count, dest[count], GUARD(T));                                                           \
        SAME("guard before pWrk", count, work[0], GUARD(T));                                                           \
        SAME("guard behind pWrk", size, pwrk[size], GUARD(T));                                                         \
    }

#define HIGHER(a, b) (a) > (b) ? (a) : (b)
#define LOWER(a, b) (a) < (b) ? (a) : (b)
#define PLUS(a, b) (a) + (b)
#define TIMES(a, b) (a) * (b)
#define AND(a, b) (a) & (b)
#define OR(a, b) (a) | (b)
#define XOR(a, b) (a) ^ (b)

#define INTEGERS(NAME, T)                                                                                              \
    OPERATION(NAME, T, and, BITS_OF, AND)                                                                              \
    OPERATION(NAME, T, or, BITS_OF, OR)                                                                                \
    OPERATION(NAME, T, xor, BITS_OF, XOR)
#define REALS(NAME, T)                                                                                                 \
    OPERATION(NAME, T, max, TERM, HIGHER)                                                                              \
    OPERATION(NAME, T, min, TERM, LOWER)                                                                               \
    OPERATION(NAME, T, sum, TERM, PLUS)                                                                                \
    OPERATION(NAME, T, prod, SMALL, TIMES)
#define COMPLEXES(NAME, T)                                                                                             \
    OPERATION(NAME, T, sum, CTERM, PLUS)                                                                               \
    OPERATION(NAME, T, prod, CSMALL, TIMES)
TO_ALL_INTEGER_TYPES(INTEGERS)
TO_ALL_REAL_TYPES(REALS)
COMPLEX_TYPES(COMPLEXES)

#define RUN(NAME, T, OP) OP##_##NAME(set, mine, counts[k], dest, source, (T *)(void *)work)
#define RUN_ALL(NAME, T, ...)                                                                                          \
    for (int k = 0; k < COUNTS; k++)                                                                                   \
        for (int in_place = 0; in_place < 2; in_place++) {                                                             \
            T *dest = memory, *source = in_place ? dest : dest + MOST + 1;                                             \
            __VA_ARGS__                                                                                                \
        }
#define RUN_INTEGERS(NAME, T) RUN_ALL(NAME, T, RUN(NAME, T, and); RUN(NAME, T, or); RUN(NAME, T, xor);)
#define RUN_REALS(NAME, T)                                                                                             \
    RUN_ALL(NAME, T, RUN(NAME, T, max); RUN(NAME, T, min); RUN(NAME, T, sum); RUN(NAME, T, prod);)
#define RUN_COMPLEXES(NAME, T) RUN_ALL(NAME, T, RUN(NAME, T, sum); RUN(NAME, T, prod);)

static void over(const struct set *set, int mine, void *memory, void *work)
{
    TO_ALL_INTEGER_TYPES(RUN_INTEGERS)
    TO_ALL_REAL_TYPES(RUN_REALS)
    COMPLEX_TYPES(RUN_COMPLEXES)
    (void)mine;
}

int main(void)
{
    begin(&me, &npes);
    void *memory = need(2 * (MOST + 1) * sizeof(long double)), *work = need((MOST / 2 + 4) * sizeof(long double));
    for (int i = 0; i < 3; i++) sync_init(&syncs[i]);
    shmem_barrier_all();
    int count = sets_of(npes, sets);
    EACH_SET(set, sets, count) {
        int mine = set_index(set, me);
        if (mine >= 0) over(set, mine, memory, work);
        shmem_barrier_all();
        for (int i = 0; i < 3; i++) sync_check("a reduction", &syncs[i]);
    }
    end();
    return 0;
}
