// pes: 1 2 3
// The C11 generics of the team collectives, reductions and scans, once for each distinct type that they take.
#include "check.h"
#include <complex.h>

#define INTEGERS(X) X(short) X(int) X(long) X(long long) UNSIGNED(X)
#define UNSIGNED(X) X(unsigned char) X(unsigned short) X(unsigned int) X(unsigned long) X(unsigned long long)
#define SMALL(X) X(char) X(signed char)
#define FLOATS(X) X(float) X(double) X(long double)
#define COMPLEX(X) X(double _Complex) X(float _Complex)
#define EXACT(X) X(int8_t) X(int16_t) X(int32_t) X(int64_t)

static shmem_team_t team = SHMEM_TEAM_WORLD;
static int me, npes;

#define MOVE(T)                                                                                                        \
    {                                                                                                                  \
        static T dest[12], source[12];                                                                                 \
        for (int i = 0; i < 12; i++) source[i] = (T)(me + i + 1);                                                      \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_broadcast(team, dest, source, 2, npes - 1) == 0);                                                  \
        CHECK_EQ(dest[1], npes + 1);                                                                                   \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_collect(team, dest, source, (size_t)(me + 1)) == 0);                                               \
        CHECK_EQ(dest[npes * (npes + 1) / 2 - 1], 2 * npes - 1);                                                       \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_fcollect(team, dest, source, 2) == 0);                                                             \
        CHECK_EQ(dest[2 * npes - 1], npes + 1);                                                                        \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_alltoall(team, dest, source, 1) == 0);                                                             \
        CHECK_EQ(dest[npes - 1], npes + me);                                                                           \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_alltoalls(team, dest, source, 2, 3, 1) == 0);                                                      \
        CHECK_EQ(dest[2 * npes - 2], npes + 3 * me);                                                                   \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_max_reduce(team, dest, source, 2) == 0);                                                           \
        CHECK_EQ(dest[1], npes + 1);                                                                                   \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_min_reduce(team, dest, source, 2) == 0);                                                           \
        CHECK_EQ(dest[1], 2);                                                                                          \
        shmem_sync(team);                                                                                              \
    }

#define ADD(T)                                                                                                         \
    {                                                                                                                  \
        static T dest[2], source[2];                                                                                   \
        int sum = npes * (npes + 1) / 2, product = npes < 3 ? npes : 6;                                                \
        source[0] = source[1] = (T)(me + 1);                                                                           \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_sum_reduce(team, dest, source, 2) == 0);                                                           \
        CHECK(dest[1] == (T)sum);                                                                                      \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_prod_reduce(team, dest, source, 2) == 0);                                                          \
        CHECK(dest[1] == (T)product);                                                                                  \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_sum_inscan(team, dest, source, 2) == 0);                                                           \
        CHECK(dest[1] == (T)((me + 1) * (me + 2) / 2));                                                                \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_sum_exscan(team, dest, source, 2) == 0);                                                           \
        CHECK(dest[1] == (T)(me * (me + 1) / 2));                                                                      \
        shmem_sync(team);                                                                                              \
    }

#define BITS(T)                                                                                                        \
    {                                                                                                                  \
        static T dest[1], source[1];                                                                                   \
        source[0] = (T)(64 | 1 << me);                                                                                 \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_and_reduce(team, dest, source, 1) == 0);                                                           \
        CHECK_EQ(dest[0], npes == 1 ? 65 : 64);                                                                        \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_or_reduce(team, dest, source, 1) == 0);                                                            \
        CHECK_EQ(dest[0], 64 | ((1 << npes) - 1));                                                                     \
        shmem_sync(team);                                                                                              \
        CHECK(shmem_xor_reduce(team, dest, source, 1) == 0);                                                           \
        CHECK_EQ(dest[0], (npes % 2 ? 64 : 0) | ((1 << npes) - 1));                                                    \
        shmem_sync(team);                                                                                              \
    }

int main(void)
{
    begin(&me, &npes);
    INTEGERS(MOVE) SMALL(MOVE) FLOATS(MOVE)
    INTEGERS(ADD) SMALL(ADD) FLOATS(ADD) COMPLEX(ADD)
    UNSIGNED(BITS) EXACT(BITS)
    static long sync_words[SHMEM_BARRIER_SYNC_SIZE]; // zero is SHMEM_SYNC_VALUE here, but is set explicitly
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++) sync_words[i] = SHMEM_SYNC_VALUE;
    shmem_sync(team);
    shmem_sync(0, 0, npes, sync_words); // the four arguments of the old form
    end();
    return 0;
}
