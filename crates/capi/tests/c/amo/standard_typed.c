// pes: 1 2 4
// compare_swap, fetch_inc, inc, fetch_add and add in all 12 types, plain and on a context: returned and stored values,
// negative operands, wrap-around.
#include "types.h"

static shmem_ctx_t ctx;
static int me, npes;

#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME[3];                                                                                         \
                                                                                                                       \
    static void amo_##NAME(T *word, int c, int pe)                                                                     \
    {                                                                                                                  \
        const char *what = "shmem_" #NAME "_atomic";                                                                   \
        T was = c ? shmem_ctx_##NAME##_atomic_fetch_add(ctx, word, 5, pe)                                              \
                  : shmem_##NAME##_atomic_fetch_add(word, 5, pe);                                                      \
        CHECK_NTH(what, 0, was, 40);                                                                                   \
        if (c) shmem_ctx_##NAME##_atomic_add(ctx, word, (T)-3, pe);                                                    \
        else shmem_##NAME##_atomic_add(word, (T)-3, pe);                                                               \
        was = c ? shmem_ctx_##NAME##_atomic_fetch_inc(ctx, word, pe) : shmem_##NAME##_atomic_fetch_inc(word, pe);      \
        CHECK_NTH(what, 1, was, 42);                                                                                   \
        if (c) shmem_ctx_##NAME##_atomic_inc(ctx, word, pe);                                                           \
        else shmem_##NAME##_atomic_inc(word, pe);                                                                      \
        was = c ? shmem_ctx_##NAME##_atomic_compare_swap(ctx, word, 43, 99, pe)                                        \
                : shmem_##NAME##_atomic_compare_swap(word, 43, 99, pe);                                                \
        CHECK_NTH("shmem_" #NAME "_atomic_compare_swap with another cond", 2, was, 44);                                \
        was = c ? shmem_ctx_##NAME##_atomic_compare_swap(ctx, word, 44, (T)-1, pe)                                     \
                : shmem_##NAME##_atomic_compare_swap(word, 44, (T)-1, pe);                                             \
        CHECK_NTH(what, 3, was, 44);                                                                                   \
        was = c ? shmem_ctx_##NAME##_atomic_fetch_inc(ctx, word, pe) : shmem_##NAME##_atomic_fetch_inc(word, pe);      \
        CHECK_NTH(what, 4, was, (T)-1);                                                                                \
        was = c ? shmem_ctx_##NAME##_atomic_fetch_add(ctx, word, (T)-1, pe)                                            \
                : shmem_##NAME##_atomic_fetch_add(word, (T)-1, pe);                                                    \
        CHECK_NTH("shmem_" #NAME "_atomic_fetch_inc of all ones wraps to zero", 5, was, 0);                            \
        shmem_ctx_quiet(ctx);                                                                                          \
        shmem_quiet();                                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
    static void all_##NAME(T *words)                                                                                   \
    {                                                                                                                  \
        for (int c = 0; c < 2; c++) {                                                                                  \
            words[0] = GUARD(T), words[1] = 40, words[2] = GUARD(T);                                                   \
            shmem_barrier_all();                                                                                       \
            amo_##NAME(&words[1], c, (me + 1) % npes);                                                                 \
            shmem_barrier_all();                                                                                       \
            CHECK_EQ(words[0], GUARD(T));                                                                              \
            CHECK_EQ(words[1], (T)-1);                                                                                 \
            CHECK_EQ(words[2], GUARD(T));                                                                              \
            shmem_barrier_all();                                                                                       \
        }                                                                                                              \
    }
STANDARD_TYPES(DEFINE)

#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *heap = need(3 * sizeof(T));                                                                                 \
        all_##NAME(heap);                                                                                              \
        all_##NAME(static_##NAME);                                                                                     \
        shmem_free(heap);                                                                                              \
    }

int main(void)
{
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    STANDARD_TYPES(RUN)
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
