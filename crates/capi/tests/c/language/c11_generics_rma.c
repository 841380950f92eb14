// pes: 1 2 4
// The C11 generics of puts, gets and signals, once for each distinct type, with and without a context first: the routine of the
// pointer's type is called, values convert to it, const pointers and arrays are taken, arguments are evaluated once.
#include "check.h"

/* The 24 type names fall on these 14 C types. */
#define DISTINCT_TYPES(X)                                                                                              \
    X(float) X(double) X(long double) X(char) X(signed char) X(short) X(int) X(long) X(long long) X(unsigned char)     \
    X(unsigned short) X(unsigned int) X(unsigned long) X(unsigned long long)

enum { LEN = 12 };
static int me, npes, to, from;
static shmem_ctx_t ctx;
static uint64_t sig;

#define EXPECT(T, what, base)                                                                                          \
    shmem_ctx_quiet(ctx);                                                                                              \
    shmem_barrier_all();                                                                                               \
    for (int i = 0; i < 3; i++) CHECK_NTH(what " of " #T, i, dest[i], (T)((base) + from + i));                         \
    shmem_barrier_all();                                                                                               \
    for (int i = 0; i < LEN; i++) dest[i] = 0;                                                                         \
    shmem_barrier_all();
#define FILL(T, base)                                                                                                  \
    for (int i = 0; i < LEN; i++) source[i] = (T)((base) + me + i);

#define TEST(T)                                                                                                        \
    {                                                                                                                  \
        static T dest[LEN], source[LEN], held[LEN];                                                                    \
        const T *read_only = source;                                                                                   \
        T got[LEN];                                                                                                    \
        FILL(T, 10) shmem_put(dest, source, 3, to); EXPECT(T, "shmem_put", 10)                                         \
        FILL(T, 20) shmem_put(ctx, dest, read_only, 3, to); EXPECT(T, "shmem_put with context", 20)                    \
        FILL(T, 30) shmem_put_nbi(dest, read_only, 3, to); EXPECT(T, "shmem_put_nbi", 30)                              \
        FILL(T, 40) shmem_put_nbi(ctx, dest, source, 3, to); EXPECT(T, "shmem_put_nbi with context", 40)               \
        FILL(T, 50) shmem_iput(dest, source, 1, 1, 3, to); EXPECT(T, "shmem_iput", 50)                                 \
        FILL(T, 60) shmem_iput(ctx, dest, read_only, 1, 1, 3, to); EXPECT(T, "shmem_iput with context", 60)            \
        FILL(T, 70) shmem_ibput(dest, source, 3, 3, 3, 1, to); EXPECT(T, "shmem_ibput", 70)                            \
        FILL(T, 80) shmem_ibput(ctx, dest, read_only, 3, 3, 3, 1, to); EXPECT(T, "shmem_ibput with context", 80)       \
        for (int i = 0; i < 3; i++) shmem_p(&dest[i], 90 + me + i, to);                                                \
        EXPECT(T, "shmem_p", 90)                                                                                       \
        for (int i = 0; i < 3; i++) shmem_p(ctx, &dest[i], 95 + me + i, to);                                           \
        EXPECT(T, "shmem_p with context", 95)                                                                          \
        FILL(T, 15) shmem_put_signal(dest, source, 3, &sig, 1, SHMEM_SIGNAL_ADD, to); EXPECT(T, "shmem_put_signal", 15) \
        FILL(T, 25) shmem_put_signal(ctx, dest, read_only, 3, &sig, 1, SHMEM_SIGNAL_ADD, to);                          \
        EXPECT(T, "shmem_put_signal with context", 25)                                                                 \
        FILL(T, 35) shmem_put_signal_nbi(dest, source, 3, &sig, 1, SHMEM_SIGNAL_ADD, to);                              \
        EXPECT(T, "shmem_put_signal_nbi", 35)                                                                          \
        FILL(T, 45) shmem_put_signal_nbi(ctx, dest, read_only, 3, &sig, 1, SHMEM_SIGNAL_ADD, to);                      \
        EXPECT(T, "shmem_put_signal_nbi with context", 45)                                                             \
        for (int i = 0; i < LEN; i++) held[i] = (T)(60 + me + i);                                                      \
        shmem_barrier_all();                                                                                           \
        const T *const remote = held;                                                                                  \
        CHECK_EQ(shmem_g(held, to), 60 + to);                                                                          \
        CHECK_EQ(shmem_g(remote + 1, to), 61 + to);                                                                    \
        CHECK_EQ(shmem_g(ctx, &held[2], to), 62 + to);                                                                 \
        CHECK(sizeof shmem_g(held, to) == sizeof(T));                                                                  \
        shmem_get(got, held, 3, to); CHECK_EQ(got[2], 62 + to);                                                        \
        shmem_get(ctx, got, remote, 4, to); CHECK_EQ(got[3], 63 + to);                                                 \
        shmem_get_nbi(got, remote, 5, to); shmem_quiet(); CHECK_EQ(got[4], 64 + to);                                   \
        shmem_get_nbi(ctx, got, held, 6, to); shmem_ctx_quiet(ctx); CHECK_EQ(got[5], 65 + to);                         \
        shmem_iget(got, held, 1, 2, 3, to); CHECK_EQ(got[2], 64 + to);                                                 \
        shmem_iget(ctx, got, remote, 1, 3, 3, to); CHECK_EQ(got[2], 66 + to);                                          \
        shmem_ibget(got, held, 2, 3, 2, 3, to); CHECK_EQ(got[5], 67 + to);                                             \
        shmem_ibget(ctx, got, remote, 2, 4, 2, 3, to); CHECK_EQ(got[5], 69 + to);                                      \
        shmem_barrier_all();                                                                                           \
    }

static void evaluated_once(void)
{
    static int words[4];
    int at = 0, calls = 0;
    shmem_p(&words[at++], (calls++, 77), to);
    CHECK(at == 1 && calls == 1);
    shmem_put(&words[at++], &(const int){78}, 1, to);
    CHECK(at == 2);
    shmem_p((calls++, ctx), &words[at++], 79, to);
    CHECK(at == 3 && calls == 2);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    CHECK(words[0] == 77 && words[1] == 78 && words[2] == 79);
}

static void signals(void)
{
    uint64_t before = sig;
    shmem_barrier_all();
    shmem_signal_add(&sig, 2, to);
    shmem_signal_add(ctx, &sig, 3, to);
    CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, before + 5), before + 5);
    shmem_barrier_all();
    shmem_signal_set(ctx, &sig, 8, to);
    CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 8), 8);
    shmem_barrier_all();
    shmem_signal_set(&sig, 9, to);
    CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 9), 9);
}

int main(void)
{
    begin(&me, &npes);
    to = (me + 1) % npes, from = (me + npes - 1) % npes;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    DISTINCT_TYPES(TEST)
    CHECK_EQ(shmem_signal_fetch(&sig), 4 * 14);
    signals();
    evaluated_once();
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
