// pes: 1 2 3 4 7
// Every p and g, plain and on a context, heap and statics; neighbouring elements are not changed.
#include "types.h"

enum { SLOT = 2 }; // the value and a guard
static shmem_ctx_t ctx;
static int me, npes;

#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME[PES_MAX * SLOT];                                                                            \
                                                                                                                       \
    static void p_and_g_##NAME(T *place, int on_ctx)                                                                   \
    {                                                                                                                  \
        for (int i = 0; i < npes * SLOT; i++) place[i] = GUARD(T);                                                     \
        shmem_barrier_all();                                                                                           \
        for (int to = 0; to < npes; to++) {                                                                            \
            if (on_ctx) shmem_ctx_##NAME##_p(ctx, &place[me * SLOT], VALUE(T, me, to, on_ctx), to);                    \
            else shmem_##NAME##_p(&place[me * SLOT], VALUE(T, me, to, on_ctx), to);                                    \
        }                                                                                                              \
        shmem_ctx_quiet(ctx);                                                                                          \
        shmem_barrier_all();                                                                                           \
        for (int pe = 0; pe < npes; pe++) {                                                                            \
            CHECK_NTH("shmem_" #NAME "_p", pe, place[pe * SLOT], VALUE(T, pe, me, on_ctx));                            \
            CHECK_NTH("guard of shmem_" #NAME "_p", pe, place[pe * SLOT + 1], GUARD(T));                               \
        }                                                                                                              \
        for (int at = 0; at < npes; at++)                                                                              \
            for (int pe = 0; pe < npes; pe++) {                                                                        \
                T got = on_ctx ? shmem_ctx_##NAME##_g(ctx, &place[pe * SLOT], at)                                      \
                               : shmem_##NAME##_g(&place[pe * SLOT], at);                                              \
                CHECK_NTH("shmem_" #NAME "_g", pe, got, VALUE(T, pe, at, on_ctx));                                     \
            }                                                                                                          \
        shmem_barrier_all();                                                                                           \
    }
RMA_TYPES(DEFINE)

#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *heap = need(PES_MAX * SLOT * sizeof(T));                                                                    \
        for (int on_ctx = 0; on_ctx < 2; on_ctx++) {                                                                   \
            p_and_g_##NAME(heap, on_ctx);                                                                              \
            p_and_g_##NAME(static_##NAME, on_ctx);                                                                     \
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
