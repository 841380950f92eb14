// pes: 1 2 4
// and, or, xor and their fetching forms in all 7 types, plain and on a context, in the heap and in statics.
#include "types.h"

static shmem_ctx_t ctx;
static int me, npes;

#define STEP(NAME, T, OP, operand, before)                                                                             \
    {                                                                                                                  \
        T was = c ? shmem_ctx_##NAME##_atomic_fetch_##OP(ctx, word, (T)(operand), pe)                                  \
                  : shmem_##NAME##_atomic_fetch_##OP(word, (T)(operand), pe);                                          \
        CHECK_NTH("shmem_" #NAME "_atomic_fetch_" #OP, 0, was, (T)(before));                                           \
    }
#define SILENT(NAME, T, OP, operand)                                                                                   \
    {                                                                                                                  \
        if (c) shmem_ctx_##NAME##_atomic_##OP(ctx, word, (T)(operand), pe);                                            \
        else shmem_##NAME##_atomic_##OP(word, (T)(operand), pe);                                                       \
    }

#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME[3];                                                                                         \
                                                                                                                       \
    static void amo_##NAME(T *word, int c, int pe)                                                                     \
    {                                                                                                                  \
        const T high = (T)((T)1 << (sizeof(T) * 8 - 2));                                                               \
        STEP(NAME, T, or, 0x0f, 0xf0)                                                                                  \
        STEP(NAME, T, and, 0x3c, 0xff)                                                                                 \
        STEP(NAME, T, xor, -1, 0x3c)                                                                                   \
        SILENT(NAME, T, and, 0xff)                                                                                     \
        SILENT(NAME, T, or, high)                                                                                      \
        SILENT(NAME, T, xor, 0x03)                                                                                     \
        STEP(NAME, T, or, 0, high | 0xc0)                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void all_##NAME(T *words)                                                                                   \
    {                                                                                                                  \
        for (int c = 0; c < 2; c++) {                                                                                  \
            words[0] = GUARD(T), words[1] = 0xf0, words[2] = GUARD(T);                                                 \
            shmem_barrier_all();                                                                                       \
            amo_##NAME(&words[1], c, (me + 1) % npes);                                                                 \
            shmem_barrier_all();                                                                                       \
            CHECK_EQ(words[0], GUARD(T));                                                                              \
            CHECK_EQ(words[1], ((T)1 << (sizeof(T) * 8 - 2)) | 0xc0);                                                  \
            CHECK_EQ(words[2], GUARD(T));                                                                              \
            shmem_barrier_all();                                                                                       \
        }                                                                                                              \
    }
BITWISE_TYPES(DEFINE)

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
    BITWISE_TYPES(RUN)
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
