// pes: 1 2 4
// The C11 generics of atomics, old and new, once for each distinct type, with and without a context first.
#include "check.h"

#define STANDARD(X) X(int) X(long) X(long long) X(unsigned int) X(unsigned long) X(unsigned long long)
#define EXTENDED(X) STANDARD(X) X(float) X(double)
/* Over int32_t and int64_t the bitwise ones take int and long, yet not long long. */
#define BITWISE(X) X(int) X(long) X(unsigned int) X(unsigned long) X(unsigned long long)
#define LEGACY_THREE(X) X(int) X(long) X(long long)
#define LEGACY_FIVE(X) LEGACY_THREE(X) X(float) X(double)

static int me, npes, to;
static shmem_ctx_t ctx;

/* Atomics that do not fetch are not ordered with later ones, on the same context or another. */
static void settle(void)
{
    shmem_quiet();
    shmem_ctx_quiet(ctx);
}

#define TEST_STANDARD(T)                                                                                               \
    {                                                                                                                  \
        static T word = 10;                                                                                            \
        T got;                                                                                                         \
        CHECK_EQ(shmem_atomic_fetch_add(&word, 5, to), 10);                                                            \
        CHECK_EQ(shmem_atomic_fetch_add(ctx, &word, 5, to), 15);                                                       \
        CHECK_EQ(shmem_atomic_fetch_inc(&word, to), 20);                                                               \
        CHECK_EQ(shmem_atomic_fetch_inc(ctx, &word, to), 21);                                                          \
        shmem_atomic_inc(&word, to), shmem_atomic_inc(ctx, &word, to);                                                 \
        shmem_atomic_add(&word, 3, to), shmem_atomic_add(ctx, &word, 4, to), settle();                                 \
        CHECK_EQ(shmem_atomic_compare_swap(&word, 31, 40, to), 31);                                                    \
        CHECK_EQ(shmem_atomic_compare_swap(ctx, &word, 31, 50, to), 40);                                               \
        shmem_atomic_fetch_add_nbi(&got, &word, 1, to), shmem_quiet(); CHECK_EQ(got, 40);                              \
        shmem_atomic_fetch_add_nbi(ctx, &got, &word, 1, to), shmem_ctx_quiet(ctx); CHECK_EQ(got, 41);                  \
        shmem_atomic_fetch_inc_nbi(&got, &word, to), shmem_quiet(); CHECK_EQ(got, 42);                                 \
        shmem_atomic_fetch_inc_nbi(ctx, &got, &word, to), shmem_ctx_quiet(ctx); CHECK_EQ(got, 43);                     \
        shmem_atomic_compare_swap_nbi(&got, &word, 44, 5, to), shmem_quiet(); CHECK_EQ(got, 44);                       \
        shmem_atomic_compare_swap_nbi(ctx, &got, &word, 44, 6, to), shmem_ctx_quiet(ctx); CHECK_EQ(got, 5);            \
    }
#define TEST_EXTENDED(T)                                                                                               \
    {                                                                                                                  \
        static T word = 10;                                                                                            \
        const T *read_only = &word;                                                                                    \
        T got;                                                                                                         \
        CHECK_EQ(shmem_atomic_fetch(&word, to), 10);                                                                   \
        CHECK_EQ(shmem_atomic_fetch(ctx, read_only, to), 10);                                                          \
        shmem_atomic_set(&word, 11, to), settle(); CHECK_EQ(shmem_atomic_swap(&word, 12, to), 11);                     \
        shmem_atomic_set(ctx, &word, 13, to), settle(); CHECK_EQ(shmem_atomic_swap(ctx, &word, 14, to), 13);           \
        shmem_atomic_fetch_nbi(&got, read_only, to), shmem_quiet(); CHECK_EQ(got, 14);                                 \
        shmem_atomic_fetch_nbi(ctx, &got, &word, to), shmem_ctx_quiet(ctx); CHECK_EQ(got, 14);                         \
        shmem_atomic_swap_nbi(&got, &word, 15, to), shmem_quiet(); CHECK_EQ(got, 14);                                  \
        shmem_atomic_swap_nbi(ctx, &got, &word, 16, to), shmem_ctx_quiet(ctx); CHECK_EQ(got, 15);                      \
    }
#define TEST_BITWISE(T)                                                                                                \
    {                                                                                                                  \
        static T word = 0xf0;                                                                                          \
        T got;                                                                                                         \
        CHECK_EQ(shmem_atomic_fetch_or(&word, 0x0f, to), 0xf0);                                                        \
        CHECK_EQ(shmem_atomic_fetch_and(ctx, &word, 0x3c, to), 0xff);                                                  \
        CHECK_EQ(shmem_atomic_fetch_xor(&word, 0xff, to), 0x3c);                                                       \
        shmem_atomic_or(ctx, &word, 0x3c, to), settle(), shmem_atomic_and(&word, 0x0f, to), settle();                  \
        shmem_atomic_xor(ctx, &word, 0xf0, to), settle();                                                              \
        CHECK_EQ(shmem_atomic_fetch_or(ctx, &word, 0, to), 0xff);                                                      \
        shmem_atomic_or(&word, 0x100, to), settle(), shmem_atomic_and(ctx, &word, 0x1fe, to), settle();                \
        shmem_atomic_xor(&word, 0x100, to), settle();                                                                  \
        CHECK_EQ(shmem_atomic_fetch_and(&word, 0x0f, to), 0xfe);                                                       \
        CHECK_EQ(shmem_atomic_fetch_xor(ctx, &word, 0x01, to), 0x0e);                                                  \
        shmem_atomic_fetch_or_nbi(&got, &word, 0x10, to), shmem_quiet(); CHECK_EQ(got, 0x0f);                          \
        shmem_atomic_fetch_or_nbi(ctx, &got, &word, 0x20, to), shmem_ctx_quiet(ctx); CHECK_EQ(got, 0x1f);              \
        shmem_atomic_fetch_and_nbi(&got, &word, 0x33, to), shmem_quiet(); CHECK_EQ(got, 0x3f);                         \
        shmem_atomic_fetch_and_nbi(ctx, &got, &word, 0x30, to), shmem_ctx_quiet(ctx); CHECK_EQ(got, 0x33);             \
        shmem_atomic_fetch_xor_nbi(&got, &word, 0x01, to), shmem_quiet(); CHECK_EQ(got, 0x30);                         \
        shmem_atomic_fetch_xor_nbi(ctx, &got, &word, 0x01, to), shmem_ctx_quiet(ctx); CHECK_EQ(got, 0x31);             \
    }
#define TEST_LEGACY_THREE(T)                                                                                           \
    {                                                                                                                  \
        static T word = 10;                                                                                            \
        CHECK_EQ(shmem_fadd(&word, 5, to), 10);                                                                        \
        CHECK_EQ(shmem_finc(&word, to), 15);                                                                           \
        shmem_inc(&word, to), shmem_add(&word, 3, to), settle();                                                       \
        CHECK_EQ(shmem_cswap(&word, 20, 7, to), 20);                                                                   \
    }
#define TEST_LEGACY_FIVE(T)                                                                                            \
    {                                                                                                                  \
        static T word = 10;                                                                                            \
        const T *read_only = &word;                                                                                    \
        CHECK_EQ(shmem_swap(&word, 11, to), 10);                                                                       \
        shmem_set(&word, 12, to), settle();                                                                            \
        CHECK_EQ(shmem_fetch(read_only, to), 12);                                                                      \
    }

int main(void)
{
    begin(&me, &npes);
    to = (me + 1) % npes;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    STANDARD(TEST_STANDARD)
    EXTENDED(TEST_EXTENDED)
    BITWISE(TEST_BITWISE)
    LEGACY_THREE(TEST_LEGACY_THREE)
    LEGACY_FIVE(TEST_LEGACY_FIVE)
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
