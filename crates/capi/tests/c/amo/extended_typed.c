// pes: 1 2 4
// fetch, set and swap in all 14 types, plain and on a context, in the heap and in statics.
#include "types.h"

static shmem_ctx_t ctx;
static int me, npes;

#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME[3];                                                                                         \
                                                                                                                       \
    static void amo_##NAME(T *word, int c, int pe)                                                                     \
    {                                                                                                                  \
        const char *what = "shmem_" #NAME "_atomic";                                                                   \
        const T *source = word;                                                                                        \
        T was = c ? shmem_ctx_##NAME##_atomic_fetch(ctx, source, pe) : shmem_##NAME##_atomic_fetch(source, pe);        \
        CHECK_NTH(what, 0, was, 40);                                                                                   \
        if (c) shmem_ctx_##NAME##_atomic_set(ctx, word, (T)-7, pe);                                                    \
        else shmem_##NAME##_atomic_set(word, (T)-7, pe);                                                               \
        was = c ? shmem_ctx_##NAME##_atomic_swap(ctx, word, 11, pe) : shmem_##NAME##_atomic_swap(word, 11, pe);        \
        CHECK_NTH(what, 1, was, (T)-7);                                                                                \
        was = c ? shmem_ctx_##NAME##_atomic_swap(ctx, word, (T)(me + 50), pe)                                          \
                : shmem_##NAME##_atomic_swap(word, (T)(me + 50), pe);                                                  \
        CHECK_NTH(what, 2, was, 11);                                                                                   \
        was = c ? shmem_ctx_##NAME##_atomic_fetch(ctx, source, pe) : shmem_##NAME##_atomic_fetch(source, pe);          \
        CHECK_NTH(what, 3, was, me + 50);                                                                              \
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
            CHECK_EQ(words[1], (me + npes - 1) % npes + 50);                                                           \
            CHECK_EQ(words[2], GUARD(T));                                                                              \
            shmem_barrier_all();                                                                                       \
        }                                                                                                              \
    }
EXTENDED_TYPES(DEFINE)

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
    EXTENDED_TYPES(RUN)
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
