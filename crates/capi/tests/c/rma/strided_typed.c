// pes: 1 2 4
// Every typed iput, iget, ibput and ibget, plain and on a context: right elements moved, every gap left alone.
#include "strided.h"
#include "types.h"

enum { ROOM = SHAPE_ROOM };
static shmem_ctx_t ctx;
static int me, npes;

#define DEFINE(NAME, T)                                                                                                \
    static void check_##NAME(const char *what, const T *dest, int from, int to, const struct shape *s)                 \
    {                                                                                                                  \
        for (ptrdiff_t i = 0; i < ROOM; i++) {                                                                         \
            ptrdiff_t at = origin(s, i);                                                                               \
            T want = at < 0 ? GUARD(T) : VALUE(T, from, to, at);                                                       \
            CHECK_NTH(what, i, dest[i], want);                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void put_##NAME(T *dest, T *source, const struct shape *s, int on_ctx, int blocks)                          \
    {                                                                                                                  \
        int to = (me + 1) % npes, from = (me + npes - 1) % npes;                                                       \
        for (int i = 0; i < ROOM; i++) dest[i] = GUARD(T), source[i] = VALUE(T, me, to, i);                            \
        shmem_barrier_all();                                                                                           \
        if (blocks && on_ctx) shmem_ctx_##NAME##_ibput(ctx, dest, source, s->dst, s->sst, s->bsize, s->nblocks, to);   \
        else if (blocks) shmem_##NAME##_ibput(dest, source, s->dst, s->sst, s->bsize, s->nblocks, to);                 \
        else if (on_ctx) shmem_ctx_##NAME##_iput(ctx, dest, source, s->dst, s->sst, s->nblocks, to);                   \
        else shmem_##NAME##_iput(dest, source, s->dst, s->sst, s->nblocks, to);                                        \
        shmem_ctx_quiet(ctx);                                                                                          \
        shmem_barrier_all();                                                                                           \
        check_##NAME(blocks ? "shmem_" #NAME "_ibput" : "shmem_" #NAME "_iput", dest, from, me, s);                    \
    }                                                                                                                  \
                                                                                                                       \
    static void get_##NAME(T *dest, T *source, const struct shape *s, int on_ctx, int blocks)                          \
    {                                                                                                                  \
        int from = (me + 1) % npes;                                                                                    \
        for (int i = 0; i < ROOM; i++) dest[i] = GUARD(T), source[i] = VALUE(T, me, 3, i);                             \
        shmem_barrier_all();                                                                                           \
        if (blocks && on_ctx) shmem_ctx_##NAME##_ibget(ctx, dest, source, s->dst, s->sst, s->bsize, s->nblocks, from); \
        else if (blocks) shmem_##NAME##_ibget(dest, source, s->dst, s->sst, s->bsize, s->nblocks, from);               \
        else if (on_ctx) shmem_ctx_##NAME##_iget(ctx, dest, source, s->dst, s->sst, s->nblocks, from);                 \
        else shmem_##NAME##_iget(dest, source, s->dst, s->sst, s->nblocks, from);                                      \
        check_##NAME(blocks ? "shmem_" #NAME "_ibget" : "shmem_" #NAME "_iget", dest, from, 3, s);                     \
        shmem_barrier_all();                                                                                           \
    }
RMA_TYPES(DEFINE)

#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *dest = need(ROOM * sizeof(T)), *source = need(ROOM * sizeof(T));                                            \
        for (size_t i = 0; i < SHAPES; i++)                                                    \
            for (int on_ctx = 0; on_ctx < 2; on_ctx++)                                                                 \
                for (int blocks = shapes[i].bsize != 1; blocks < 2; blocks++) {                                        \
                    put_##NAME(dest, source, &shapes[i], on_ctx, blocks);                                              \
                    get_##NAME(dest, source, &shapes[i], on_ctx, blocks);                                              \
                }                                                                                                      \
        shmem_free(source);                                                                                            \
        shmem_free(dest);                                                                                              \
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
