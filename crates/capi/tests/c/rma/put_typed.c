// pes: 1 2 3 4 7
// Every typed put, blocking or not, plain or on a context, from every PE to every PE, into the heap and into statics.
#include "types.h"

enum { LEN = 33, SLOT = LEN + 1 }; // one guard element after each PE's slot
enum form { PLAIN, ON_CTX, NBI, CTX_NBI, FORMS };
static shmem_ctx_t ctx;
static int me, npes;

#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME[PES_MAX * SLOT];                                                                            \
                                                                                                                       \
    static void put_##NAME(T *dest, enum form form)                                                                    \
    {                                                                                                                  \
        static T source[PES_MAX][LEN];                                                                                 \
        for (int i = 0; i < npes * SLOT; i++) dest[i] = GUARD(T);                                                      \
        shmem_barrier_all();                                                                                           \
        for (int to = 0; to < npes; to++) {                                                                            \
            T *from = source[to];                                                                                      \
            for (int i = 0; i < LEN; i++) from[i] = VALUE(T, me, to, i);                                               \
            switch (form) {                                                                                            \
            case PLAIN: shmem_##NAME##_put(dest + me * SLOT, from, LEN, to); break;                                    \
            case ON_CTX: shmem_ctx_##NAME##_put(ctx, dest + me * SLOT, from, LEN, to); break;                          \
            case NBI: shmem_##NAME##_put_nbi(dest + me * SLOT, from, LEN, to); break;                                  \
            default: shmem_ctx_##NAME##_put_nbi(ctx, dest + me * SLOT, from, LEN, to);                                 \
            }                                                                                                          \
        }                                                                                                              \
        shmem_ctx_quiet(ctx);                                                                                          \
        shmem_barrier_all();                                                                                           \
        for (int pe = 0; pe < npes; pe++) {                                                                            \
            for (int i = 0; i < LEN; i++)                                                                              \
                CHECK_NTH("shmem_" #NAME "_put", pe * SLOT + i, dest[pe * SLOT + i], VALUE(T, pe, me, i));             \
            CHECK_NTH("guard of shmem_" #NAME "_put", pe, dest[pe * SLOT + LEN], GUARD(T));                            \
        }                                                                                                              \
        shmem_barrier_all();                                                                                           \
    }
RMA_TYPES(DEFINE)

#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *heap = need(PES_MAX * SLOT * sizeof(T));                                                                    \
        for (int form = 0; form < FORMS; form++) {                                                                     \
            put_##NAME(heap, (enum form)form);                                                                         \
            put_##NAME(static_##NAME, (enum form)form);                                                                \
        }                                                                                                              \
        shmem_free(heap);                                                                                              \
    }

int main(void)
{
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    RMA_TYPES(RUN)
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
