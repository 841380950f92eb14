// pes: 1 2 4
// Every fetching non-blocking atomic, plain and on a context: after the quiet of its context the fetched value has arrived, and
// it is the old one.
#include "types.h"

static shmem_ctx_t ctx;
static int me, npes;

/* Issues one operation, quiets its own context only, then compares what it fetched. */
#define NBI(NAME, T, OP, before, ...)                                                                                  \
    {                                                                                                                  \
        T got = GUARD(T);                                                                                              \
        if (c) {                                                                                                       \
            shmem_ctx_##NAME##_atomic_##OP##_nbi(ctx, &got, __VA_ARGS__, pe);                                          \
            shmem_ctx_quiet(ctx);                                                                                      \
        } else {                                                                                                       \
            shmem_##NAME##_atomic_##OP##_nbi(&got, __VA_ARGS__, pe);                                                   \
            shmem_quiet();                                                                                             \
        }                                                                                                              \
        CHECK_NTH("shmem_" #NAME "_atomic_" #OP "_nbi", c, got, (T)(before));                                          \
    }

#define EXTENDED(NAME, T)                                                                                              \
    static T extended_word_##NAME;                                                                                     \
    static void extended_##NAME(int c, int pe)                                                                         \
    {                                                                                                                  \
        T *word = &extended_word_##NAME;                                                                               \
        const T *source = word;                                                                                        \
        *word = (T)-9;                                                                                                 \
        shmem_barrier_all();                                                                                           \
        NBI(NAME, T, fetch, -9, source)                                                                                \
        NBI(NAME, T, swap, -9, word, 17)                                                                               \
        NBI(NAME, T, fetch, 17, source)                                                                                \
        shmem_barrier_all();                                                                                           \
        CHECK_EQ(*word, 17);                                                                                           \
        shmem_barrier_all();                                                                                           \
    }
EXTENDED_TYPES(EXTENDED)

#define STANDARD(NAME, T)                                                                                              \
    static T standard_word_##NAME;                                                                                     \
    static void standard_##NAME(int c, int pe)                                                                         \
    {                                                                                                                  \
        T *word = &standard_word_##NAME;                                                                               \
        *word = 17;                                                                                                    \
        shmem_barrier_all();                                                                                           \
        NBI(NAME, T, fetch_inc, 17, word)                                                                              \
        NBI(NAME, T, fetch_add, 18, word, (T)-20)                                                                      \
        NBI(NAME, T, compare_swap, -2, word, 5, 6)                                                                     \
        NBI(NAME, T, compare_swap, -2, word, (T)-2, 6)                                                                 \
        shmem_barrier_all();                                                                                           \
        CHECK_EQ(*word, 6);                                                                                            \
        shmem_barrier_all();                                                                                           \
    }
STANDARD_TYPES(STANDARD)

#define BITWISE(NAME, T)                                                                                               \
    static T bitwise_word_##NAME;                                                                                      \
    static void bitwise_##NAME(int c, int pe)                                                                          \
    {                                                                                                                  \
        T *word = &bitwise_word_##NAME;                                                                                \
        *word = 0xf0;                                                                                                  \
        shmem_barrier_all();                                                                                           \
        NBI(NAME, T, fetch_or, 0xf0, word, 0x0f)                                                                       \
        NBI(NAME, T, fetch_and, 0xff, word, 0x3c)                                                                      \
        NBI(NAME, T, fetch_xor, 0x3c, word, 0xff)                                                                      \
        shmem_barrier_all();                                                                                           \
        CHECK_EQ(*word, 0xc3);                                                                                         \
        shmem_barrier_all();                                                                                           \
    }
BITWISE_TYPES(BITWISE)

int main(void)
{
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    int right = (me + 1) % npes;
    for (int c = 0; c < 2; c++) {
#define RUN_EXTENDED(NAME, T) extended_##NAME(c, right);
        EXTENDED_TYPES(RUN_EXTENDED)
#define RUN_STANDARD(NAME, T) standard_##NAME(c, right);
        STANDARD_TYPES(RUN_STANDARD)
#define RUN_BITWISE(NAME, T) bitwise_##NAME(c, right);
        BITWISE_TYPES(RUN_BITWISE)
    }
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
