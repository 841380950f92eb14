// pes: 1 2
// test and wait_until in all types and with all six comparisons, signed for signed types and unsigned for the others; test
// returns exactly 0 or 1.
#include "types.h"

#define LEGACY_TYPES(X) X(short, short) X(ushort, unsigned short)

/* Every pair of (-2 as that type, 0, 1, 3) under every comparison: C's own operators are the oracle. */
#define DEFINE(NAME, T)                                                                                                \
    static T word_##NAME;                                                                                              \
    static void compare_##NAME(void)                                                                                   \
    {                                                                                                                  \
        T *word = &word_##NAME;                                                                                        \
        const T values[] = {(T)-2, 0, 1, 3};                                                                           \
        for (int i = 0; i < 4; i++)                                                                                    \
            for (int j = 0; j < 4; j++) {                                                                              \
                T a = values[i], b = values[j];                                                                        \
                const int codes[] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_GE, SHMEM_CMP_LT, SHMEM_CMP_LE}; \
                const int truth[] = {a == b, a != b, a > b, a >= b, a < b, a <= b};                                    \
                *word = a;                                                                                             \
                for (int c = 0; c < 6; c++) {                                                                          \
                    CHECK_NTH("shmem_" #NAME "_test", i * 100 + j * 10 + c, shmem_##NAME##_test(word, codes[c], b), truth[c]); \
                    if (truth[c]) shmem_##NAME##_wait_until(word, codes[c], b);                                        \
                }                                                                                                      \
            }                                                                                                          \
    }
STANDARD_TYPES(DEFINE)
LEGACY_TYPES(DEFINE)

int main(void)
{
    int me, npes;
    begin(&me, &npes);
#define RUN(NAME, T) compare_##NAME();
    STANDARD_TYPES(RUN)
    LEGACY_TYPES(RUN)
    end();
    return 0;
}
