// pes: 1 2 4
// The vendors' names for all types: blocks, explicit puts and gets, puts with signals, scans, signals with and without a
// context, and non-blocking collectives, once for each distinct type.
#include "check.h"
#include <shmemx.h>

#define DISTINCT_TYPES(X)                                                                                              \
    X(float) X(double) X(long double) X(char) X(signed char) X(short) X(int) X(long) X(long long) X(unsigned char)     \
    X(unsigned short) X(unsigned int) X(unsigned long) X(unsigned long long)

enum { LEN = 6 };
static int me, npes, to, from;
static uint64_t sig;

#define TEST(T)                                                                                                        \
    {                                                                                                                  \
        static T dest[LEN], source[LEN], sums[LEN];                                                                    \
        const T *fixed = source;                                                                                       \
        T got[LEN] = {0};                                                                                              \
        shmemx_req_t request;                                                                                          \
        for (int i = 0; i < LEN; i++) source[i] = (T)(me + i);                                                         \
        shmem_barrier_all();                                                                                           \
        shmemx_put_nb(dest, fixed, 2, to);                                                                             \
        shmemx_put_nb(SHMEM_CTX_DEFAULT, dest + 2, source + 2, 1, to);                                                 \
        shmemx_ibput(dest + 3, source + 3, 1, 1, 1, 2, to);                                                            \
        shmemx_ibput(SHMEM_CTX_DEFAULT, dest + 5, fixed + 5, 1, 1, 1, 1, to);                                          \
        shmem_barrier_all();                                                                                           \
        for (int i = 0; i < LEN; i++) CHECK_NTH("put of " #T, i, dest[i], (T)(from + i));                              \
        shmemx_get_nb(got, fixed, 3, to);                                                                              \
        shmemx_ibget(SHMEM_CTX_DEFAULT, got + 3, fixed + 3, 3, 3, 3, 1, to);                                           \
        shmem_quiet();                                                                                                 \
        for (int i = 0; i < LEN; i++) CHECK_NTH("get of " #T, i, got[i], (T)(to + i));                                 \
        CHECK(shmemx_sum_inscan(SHMEM_TEAM_WORLD, sums, fixed, LEN) == 0);                                             \
        CHECK_NTH("inscan of " #T, 1, sums[1], (T)(me * (me + 1) / 2 + me + 1));                                       \
        CHECK(shmemx_sum_exscan(SHMEM_TEAM_WORLD, sums, source, LEN) == 0);                                            \
        CHECK_NTH("exscan of " #T, 1, sums[1], (T)(me * (me - 1) / 2 + me));                                           \
        CHECK(shmemx_max_reduce_nb(SHMEM_TEAM_WORLD, sums, fixed, LEN, &request) == 0);                                \
        shmemx_req_wait(&request);                                                                                     \
        CHECK_NTH("max of " #T, 0, sums[0], (T)(npes - 1));                                                            \
        shmem_barrier_all();                                                                                           \
    }

int main(void)
{
    begin(&me, &npes);
    to = (me + 1) % npes, from = (me + npes - 1) % npes;
    DISTINCT_TYPES(TEST)
    static long dest, source;
    source = me;
    shmemx_put_signal(&dest, &source, 1, &sig, 5, to);
    shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 5);
    CHECK_EQ(dest, from);
    shmem_barrier_all();
    shmemx_signal_set(&sig, 6, to);
    shmem_barrier_all();
    CHECK_EQ(sig, 6);
    shmem_barrier_all();
    shmemx_signal_set(SHMEM_CTX_DEFAULT, &sig, 7, to);
    shmemx_signal_add(&sig, 1, to);
    shmemx_signal_add(SHMEM_CTX_DEFAULT, &sig, 1, to);
    shmem_barrier_all();
    CHECK_EQ(sig, 9);
    end();
    return 0;
}
