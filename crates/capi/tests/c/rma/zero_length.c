// pes: 1 2 4
// A length of zero is legal with any pointer, NULL included, in every contiguous, strided and blocked form; nothing moves.
#include "types.h"

static shmem_ctx_t ctx;

#define TYPED(NAME, T)                                                                                                 \
    static T word_##NAME = (T)77;                                                                                      \
    static void zero_##NAME(T *place, int pe)                                                                          \
    {                                                                                                                  \
        shmem_##NAME##_put(place, place, 0, pe);                                                                       \
        shmem_ctx_##NAME##_put(ctx, place, place, 0, pe);                                                              \
        shmem_##NAME##_put_nbi(place, place, 0, pe);                                                                   \
        shmem_ctx_##NAME##_put_nbi(ctx, place, place, 0, pe);                                                          \
        shmem_##NAME##_get(place, place, 0, pe);                                                                       \
        shmem_ctx_##NAME##_get(ctx, place, place, 0, pe);                                                              \
        shmem_##NAME##_get_nbi(place, place, 0, pe);                                                                   \
        shmem_ctx_##NAME##_get_nbi(ctx, place, place, 0, pe);                                                          \
        shmem_##NAME##_iput(place, place, 2, 3, 0, pe);                                                                \
        shmem_ctx_##NAME##_iput(ctx, place, place, 2, 3, 0, pe);                                                       \
        shmem_##NAME##_iget(place, place, 2, 3, 0, pe);                                                                \
        shmem_ctx_##NAME##_iget(ctx, place, place, 2, 3, 0, pe);                                                       \
        shmem_##NAME##_ibput(place, place, 2, 3, 2, 0, pe);                                                            \
        shmem_ctx_##NAME##_ibput(ctx, place, place, 2, 3, 2, 0, pe);                                                   \
        shmem_##NAME##_ibget(place, place, 2, 3, 2, 0, pe);                                                            \
        shmem_ctx_##NAME##_ibget(ctx, place, place, 2, 3, 2, 0, pe);                                                   \
    }
RMA_TYPES(TYPED)

#define SIZED(S, BYTES)                                                                                                \
    static void zero_size_##S(void *place, int pe)                                                                     \
    {                                                                                                                  \
        shmem_put##S(place, place, 0, pe);                                                                             \
        shmem_ctx_put##S(ctx, place, place, 0, pe);                                                                    \
        shmem_put##S##_nbi(place, place, 0, pe);                                                                       \
        shmem_ctx_put##S##_nbi(ctx, place, place, 0, pe);                                                              \
        shmem_get##S(place, place, 0, pe);                                                                             \
        shmem_ctx_get##S(ctx, place, place, 0, pe);                                                                    \
        shmem_get##S##_nbi(place, place, 0, pe);                                                                       \
        shmem_ctx_get##S##_nbi(ctx, place, place, 0, pe);                                                              \
    }
SIZES(SIZED) SIZED(mem, 1)

#define STRIDED(S, BYTES)                                                                                              \
    static void zero_strided_##S(void *place, int pe)                                                                  \
    {                                                                                                                  \
        shmem_iput##S(place, place, 2, 3, 0, pe);                                                                      \
        shmem_ctx_iput##S(ctx, place, place, 2, 3, 0, pe);                                                             \
        shmem_iget##S(place, place, 2, 3, 0, pe);                                                                      \
        shmem_ctx_iget##S(ctx, place, place, 2, 3, 0, pe);                                                             \
        shmem_ibput##S(place, place, 2, 3, 2, 0, pe);                                                                  \
        shmem_ctx_ibput##S(ctx, place, place, 2, 3, 2, 0, pe);                                                         \
        shmem_ibget##S(place, place, 2, 3, 2, 0, pe);                                                                  \
        shmem_ctx_ibget##S(ctx, place, place, 2, 3, 2, 0, pe);                                                         \
    }
SIZES(STRIDED)

static void zero_empty_lists(void)
{
    shmem_pe_quiet(NULL, 0);
    shmem_ctx_pe_quiet(ctx, NULL, 0);
    shmem_quiet();
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    static long words[2] = {7, 8};
    long local = 9;
    for (int pe = 0; pe < npes; pe++) {
#define RUN_TYPED(NAME, T) zero_##NAME(NULL, pe), zero_##NAME(&word_##NAME, pe);
        RMA_TYPES(RUN_TYPED)
#define RUN_SIZED(S, BYTES) zero_size_##S(NULL, pe), zero_size_##S(words, pe), zero_size_##S(&local, pe);
        SIZES(RUN_SIZED) RUN_SIZED(mem, 1)
#define RUN_STRIDED(S, BYTES) zero_strided_##S(NULL, pe), zero_strided_##S(words, pe), zero_strided_##S(&local, pe);
        SIZES(RUN_STRIDED)
    }
    zero_empty_lists();
    shmem_barrier_all();
#define UNTOUCHED(NAME, T) CHECK_EQ(word_##NAME, 77);
    RMA_TYPES(UNTOUCHED)
    CHECK(words[0] == 7 && words[1] == 8 && local == 9);
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
