// pes: 1 2 5 8
// Cray's collectives of teams: each reduction on each of its types, over different halves of the world, also in place, with no
// elements and without work arrays; a barrier that completes puts; blocks of bytes to each member.
#include "check.h"
#include <shmemx.h>

enum { LENGTH = 37 };

static int me, npes, rank, size;
static shmem_team_t half;
static long words[SHMEM_REDUCE_SYNC_SIZE];

// Members differ, and so do elements. Small, so that products fit a short and are exact in a float.
static int element(int member, int i)
{
    return 1 + (member + i) % 2;
}

#define REDUCES(type, name, op, combine)                                                                               \
    static void name##_##op(void)                                                                                      \
    {                                                                                                                  \
        static type source[LENGTH], dest[LENGTH], work[LENGTH / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];                \
        for (int i = 0; i < LENGTH; i++) source[i] = (type)element(rank, i), dest[i] = 77;                             \
        shmemx_team_##name##_##op##_to_all(half, dest, source, 0, NULL, NULL);                                         \
        CHECK_EQ(dest[0], 77);                                                                                         \
        shmemx_team_##name##_##op##_to_all(half, dest, source, LENGTH - 1, work, words);                                \
        CHECK_EQ(dest[LENGTH - 1], 77);                                                                                \
        shmemx_team_##name##_##op##_to_all(half, source, source, LENGTH, NULL, NULL);                                  \
        for (int i = 0; i < LENGTH; i++) {                                                                             \
            type a = (type)element(0, i);                                                                              \
            for (int member = 1; member < size; member++) {                                                            \
                type b = (type)element(member, i);                                                                     \
                a = (type)(combine);                                                                                   \
            }                                                                                                          \
            if (i < LENGTH - 1) CHECK_NTH(#name " " #op, i, dest[i], a);                                               \
            CHECK_NTH(#name " " #op " in place", i, source[i], a);                                                     \
        }                                                                                                              \
    }
#define ARITHMETIC(type, name)                                                                                         \
    REDUCES(type, name, max, a > b ? a : b)                                                                            \
    REDUCES(type, name, min, a < b ? a : b)                                                                            \
    REDUCES(type, name, sum, a + b)                                                                                    \
    REDUCES(type, name, prod, a * b)                                                                                   \
    static void name##_arithmetic(void)                                                                                \
    {                                                                                                                  \
        name##_max(), name##_min(), name##_sum(), name##_prod();                                                       \
    }
#define BITWISE(type, name)                                                                                            \
    REDUCES(type, name, and, a & b)                                                                                    \
    REDUCES(type, name, or, a | b)                                                                                     \
    REDUCES(type, name, xor, a ^ b)                                                                                    \
    static void name##_bitwise(void)                                                                                   \
    {                                                                                                                  \
        name##_and(), name##_or(), name##_xor();                                                                       \
    }
#define INTEGERS(X) X(short, short) X(int, int) X(long, long) X(long long, longlong)
INTEGERS(ARITHMETIC)
INTEGERS(BITWISE)
ARITHMETIC(float, float)
ARITHMETIC(double, double)
ARITHMETIC(long double, longdouble)

static void reductions(void)
{
#define BOTH(type, name) name##_arithmetic(), name##_bitwise();
    INTEGERS(BOTH)
    float_arithmetic(), double_arithmetic(), longdouble_arithmetic();
}

static void barrier_completes(int round)
{
    static int slot[8];
    for (int member = 0; member < size; member++)
        shmem_int_put_nbi(&slot[rank], &round, 1, shmemx_team_translate_pe(half, member, SHMEM_TEAM_WORLD));
    shmemx_team_barrier(half, words);
    for (int member = 0; member < size; member++) CHECK_NTH("put before the barrier", member, slot[member], round);
    shmemx_team_barrier(half, NULL);
}

static void blocks(size_t len)
{
    static unsigned char source[8 * 24], target[8 * 24 + 1];
    for (int member = 0; member < size; member++) memset(source + member * len, 16 * rank + member, len);
    target[size * len] = 255;
    shmemx_team_alltoall(target, source, len, half, words);
    for (size_t i = 0; i < size * len; i++) CHECK_NTH("byte", i, target[i], 16 * (int)(i / len) + rank);
    CHECK_EQ(target[size * len], 255);
    shmemx_team_barrier(half, words); // the next blocks overwrite these
}

int main(void)
{
    begin(&me, &npes);
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) words[i] = SHMEM_SYNC_VALUE;
    shmemx_team_split_color(SHMEM_TEAM_WORLD, me % 2, -me, &half);
    rank = shmemx_team_my_pe(half), size = shmemx_team_n_pes(half);
    for (int round = 1; round <= 10; round++) {
        reductions();
        barrier_completes(round);
        blocks(1), blocks(24), blocks(7);
    }
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) CHECK_NTH("pSync", i, words[i], SHMEM_SYNC_VALUE);
    shmemx_team_destroy(&half);
    end();
    return 0;
}
