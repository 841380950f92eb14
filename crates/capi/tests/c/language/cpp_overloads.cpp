// pes: 1 2 4
// flags: -std=c++11
// C++ calls the names for all types by overloads, vendors' too: types, contexts and teams choose the routine, std::complex is taken
// for C's complex numbers, and handles initialise static objects before main.
#include "check.h"
#include <complex>
#include <shmemx.h>

static shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
static const shmem_team_t team = SHMEM_TEAM_WORLD;
static int me, npes, to, from;

template <typename T> static void moves()
{
    static T dest[4], source[4];
    T got[4];
    for (int i = 0; i < 4; i++) source[i] = static_cast<T>(me + i);
    shmem_barrier_all();
    shmem_put(dest, source, 2, to);
    shmem_put(ctx, dest + 2, source + 2, 1, to);
    shmem_p(&dest[3], source[3], to);
    shmem_barrier_all();
    for (int i = 0; i < 4; i++) CHECK_NTH("a put", i, dest[i], static_cast<T>(from + i));
    shmem_get(got, source, 4, to);
    CHECK_NTH("a get", 3, got[3], static_cast<T>(to + 3));
    CHECK_NTH("shmem_g", 2, shmem_g(ctx, &source[2], to), static_cast<T>(to + 2));
    shmemx_ibget(ctx, got, source, 2, 2, 2, 2, to);
    CHECK_NTH("shmemx_ibget", 1, got[1], static_cast<T>(to + 1));
    CHECK(shmem_max_reduce(team, dest, source, 4) == 0);
    CHECK_NTH("a maximum", 1, dest[1], static_cast<T>(npes));
    shmem_barrier_all();
}

/* Programs declare volatile what other PEs change, as these routines required until 1.4. */
template <typename T> static void waits()
{
    static T word = 3;
    static volatile T watched = 3;
    shmem_wait_until(&word, SHMEM_CMP_EQ, 3);
    shmem_wait_until(&watched, SHMEM_CMP_EQ, 3);
    CHECK_NTH("shmem_test", 0, shmem_test(&watched, SHMEM_CMP_NE, 3), 0);
    CHECK_NTH("shmem_test", 1, shmem_test(&watched, SHMEM_CMP_GT, 2), 1);
}

template <typename T> static void complex_sums()
{
    static std::complex<T> dest[2], source[2];
    source[0] = {static_cast<T>(me), 1}, source[1] = {0, 1};
    shmem_barrier_all();
    CHECK(shmem_sum_reduce(team, dest, source, 2) == 0);
    CHECK(dest[0] == std::complex<T>(static_cast<T>(npes * (npes - 1) / 2), static_cast<T>(npes)));
    CHECK(shmem_prod_reduce(SHMEM_TEAM_WORLD, dest, source, 2) == 0);
    std::complex<T> want = 1;
    for (int pe = 0; pe < npes; pe++) want *= std::complex<T>(0, 1);
    CHECK(dest[1] == want);
    CHECK(shmem_sum_inscan(team, dest, source, 2) == 0);
    CHECK(dest[1] == std::complex<T>(0, static_cast<T>(me + 1)));
    CHECK(shmemx_sum_exscan(team, dest, source, 2) == 0);
    CHECK(dest[1] == std::complex<T>(0, static_cast<T>(me)));
    shmem_barrier_all();
}

int main()
{
    begin(&me, &npes);
    to = (me + 1) % npes, from = (me + npes - 1) % npes;
    moves<float>(), moves<double>(), moves<long double>(), moves<char>(), moves<signed char>(), moves<short>(), moves<int>();
    moves<long>(), moves<long long>(), moves<unsigned char>(), moves<unsigned short>(), moves<unsigned>();
    moves<unsigned long>(), moves<unsigned long long>();
    waits<short>(), waits<int>(), waits<long>(), waits<long long>();
    waits<unsigned short>(), waits<unsigned>(), waits<unsigned long>(), waits<unsigned long long>();
    // One name, one function: adding overloads to it would make this ambiguous.
    auto set_lock = shmem_set_lock;
    auto wait_until = shmem_long_wait_until;
    CHECK(set_lock != nullptr && wait_until != nullptr);
    complex_sums<float>(), complex_sums<double>();
    static long word;
    shmem_atomic_add(ctx, &word, 3, to);
    shmem_barrier_all();
    CHECK_EQ(shmem_atomic_fetch(&word, to), 3);
    end();
    return 0;
}
