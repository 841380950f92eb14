// pes: 1 2 4
// Every typed put_signal, blocking or not, plain or on a context, SET and ADD: once the signal shows, its data are all there.
#include "types.h"

enum { LEN = 19 };
enum form { PLAIN, ON_CTX, NBI, CTX_NBI, FORMS };
static shmem_ctx_t ctx;
static int me, npes;
static uint64_t sig;

#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME[LEN];                                                                                       \
                                                                                                                       \
    static void put_signal_##NAME(T *dest, enum form form, int op)                                                     \
    {                                                                                                                  \
        int to = (me + 1) % npes, from = (me + npes - 1) % npes;                                                       \
        T source[LEN];                                                                                                 \
        for (int i = 0; i < LEN; i++) source[i] = VALUE(T, me, to, i), dest[i] = GUARD(T);                             \
        sig = 100;                                                                                                     \
        uint64_t want = op == SHMEM_SIGNAL_ADD ? 107 : 7;                                                              \
        shmem_barrier_all();                                                                                           \
        switch (form) {                                                                                                \
        case PLAIN: shmem_##NAME##_put_signal(dest, source, LEN, &sig, 7, op, to); break;                              \
        case ON_CTX: shmem_ctx_##NAME##_put_signal(ctx, dest, source, LEN, &sig, 7, op, to); break;                    \
        case NBI: shmem_##NAME##_put_signal_nbi(dest, source, LEN, &sig, 7, op, to); break;                            \
        default: shmem_ctx_##NAME##_put_signal_nbi(ctx, dest, source, LEN, &sig, 7, op, to);                           \
        }                                                                                                              \
        CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, want), want);                                             \
        for (int i = 0; i < LEN; i++) CHECK_NTH("shmem_" #NAME "_put_signal", i, dest[i], VALUE(T, from, me, i));      \
        shmem_ctx_quiet(ctx);                                                                                          \
        shmem_barrier_all();                                                                                           \
    }
RMA_TYPES(DEFINE)

#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *heap = need(LEN * sizeof(T));                                                                               \
        for (int form = 0; form < FORMS; form++) {                                                                     \
            put_signal_##NAME(heap, (enum form)form, SHMEM_SIGNAL_SET);                                                \
            put_signal_##NAME(static_##NAME, (enum form)form, SHMEM_SIGNAL_ADD);                                       \
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
