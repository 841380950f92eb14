// pes: 1 2 3 4 7
// Every typed get, blocking or not, plain or on a context, from every PE, out of the heap and out of statics.
#include "types.h"

enum { LEN = 33 };
enum form { PLAIN, ON_CTX, NBI, CTX_NBI, FORMS };
static shmem_ctx_t ctx;
static int me, npes;

#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME[LEN];                                                                                       \
                                                                                                                       \
    static void get_##NAME(T *source, enum form form)                                                                  \
    {                                                                                                                  \
        T got[PES_MAX][LEN + 1];                                                                                       \
        for (int i = 0; i < LEN; i++) source[i] = VALUE(T, me, form, i);                                               \
        shmem_barrier_all();                                                                                           \
        for (int pe = 0; pe < npes; pe++) {                                                                            \
            got[pe][LEN] = GUARD(T);                                                                                   \
            switch (form) {                                                                                            \
            case PLAIN: shmem_##NAME##_get(got[pe], source, LEN, pe); break;                                           \
            case ON_CTX: shmem_ctx_##NAME##_get(ctx, got[pe], source, LEN, pe); break;                                 \
            case NBI: shmem_##NAME##_get_nbi(got[pe], source, LEN, pe); break;                                         \
            default: shmem_ctx_##NAME##_get_nbi(ctx, got[pe], source, LEN, pe);                                        \
            }                                                                                                          \
        }                                                                                                              \
        if (form == NBI) shmem_quiet();                                                                                \
        if (form == CTX_NBI) shmem_ctx_quiet(ctx);                                                                     \
        for (int pe = 0; pe < npes; pe++) {                                                                            \
            for (int i = 0; i < LEN; i++) CHECK_NTH("shmem_" #NAME "_get", i, got[pe][i], VALUE(T, pe, form, i));      \
            CHECK_NTH("guard of shmem_" #NAME "_get", pe, got[pe][LEN], GUARD(T));                                     \
        }                                                                                                              \
        shmem_barrier_all();                                                                                           \
    }
RMA_TYPES(DEFINE)

#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *heap = need(LEN * sizeof(T));                                                                               \
        for (int form = 0; form < FORMS; form++) {                                                                     \
            get_##NAME(heap, (enum form)form);                                                                         \
            get_##NAME(static_##NAME, (enum form)form);                                                                \
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
