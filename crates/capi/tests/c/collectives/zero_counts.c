// pes: 1 2 4 7
// No elements with NULL for both buffers: 0 is returned, nothing hangs, what follows is right. Roots are any.
#include "samples.h"

#define MOVE(NAME, T)                                                                                                  \
    CHECK(shmem_##NAME##_broadcast(one->team, (T *)NULL, (const T *)NULL, 0, one->n - 1) == 0);                        \
    CHECK(shmem_##NAME##_collect(one->team, (T *)NULL, (const T *)NULL, 0) == 0);                                      \
    CHECK(shmem_##NAME##_fcollect(one->team, (T *)NULL, (const T *)NULL, 0) == 0);                                     \
    CHECK(shmem_##NAME##_alltoall(one->team, (T *)NULL, (const T *)NULL, 0) == 0);                                     \
    CHECK(shmem_##NAME##_alltoalls(one->team, (T *)NULL, (const T *)NULL, 1, 2, 0) == 0);                              \
    CHECK(shmem_##NAME##_max_reduce(one->team, (T *)NULL, (const T *)NULL, 0) == 0);                                   \
    CHECK(shmem_##NAME##_min_reduce(one->team, (T *)NULL, (const T *)NULL, 0) == 0);
#define ADD(NAME, T)                                                                                                   \
    CHECK(shmem_##NAME##_sum_reduce(one->team, (T *)NULL, (const T *)NULL, 0) == 0);                                   \
    CHECK(shmem_##NAME##_prod_reduce(one->team, (T *)NULL, (const T *)NULL, 0) == 0);                                  \
    CHECK(shmem_##NAME##_sum_inscan(one->team, (T *)NULL, (const T *)NULL, 0) == 0);                                   \
    CHECK(shmem_##NAME##_sum_exscan(one->team, (T *)NULL, (const T *)NULL, 0) == 0);
#define BITS(NAME, T)                                                                                                  \
    CHECK(shmem_##NAME##_and_reduce(one->team, (T *)NULL, (const T *)NULL, 0) == 0);                                   \
    CHECK(shmem_##NAME##_or_reduce(one->team, (T *)NULL, (const T *)NULL, 0) == 0);                                    \
    CHECK(shmem_##NAME##_xor_reduce(one->team, (T *)NULL, (const T *)NULL, 0) == 0);
#define TO_ALL(NAME, T)                                                                                                \
    shmem_##NAME##_max_to_all((T *)NULL, (T *)NULL, 0, 0, 0, npes, (T *)(void *)work, sync_a);                                      \
    shmem_##NAME##_sum_to_all((T *)NULL, (T *)NULL, 0, 0, 0, npes, (T *)(void *)work, sync_b);

static long sync_a[SHMEM_SYNC_SIZE], sync_b[SHMEM_SYNC_SIZE];
static long double work[64];

static void mem_forms(const struct sample *one)
{
    CHECK(shmem_broadcastmem(one->team, NULL, NULL, 0, 0) == 0);
    CHECK(shmem_collectmem(one->team, NULL, NULL, 0) == 0);
    CHECK(shmem_fcollectmem(one->team, NULL, NULL, 0) == 0);
    CHECK(shmem_alltoallmem(one->team, NULL, NULL, 0) == 0);
    CHECK(shmem_alltoallsmem(one->team, NULL, NULL, 1, 1, 0) == 0);
}

static void active_sets(int npes)
{
    TO_ALL_REAL_TYPES(TO_ALL)
    shmem_broadcast32(NULL, NULL, 0, 0, 0, 0, npes, sync_a);
    shmem_broadcast64(NULL, NULL, 0, 0, 0, 0, npes, sync_b);
    shmem_collect32(NULL, NULL, 0, 0, 0, npes, sync_a);
    shmem_collect64(NULL, NULL, 0, 0, 0, npes, sync_b);
    shmem_fcollect32(NULL, NULL, 0, 0, 0, npes, sync_a);
    shmem_fcollect64(NULL, NULL, 0, 0, 0, npes, sync_b);
    shmem_alltoall32(NULL, NULL, 0, 0, 0, npes, sync_a);
    shmem_alltoall64(NULL, NULL, 0, 0, 0, npes, sync_b);
    shmem_alltoalls32(NULL, NULL, 1, 1, 0, 0, 0, npes, sync_a);
    shmem_alltoalls64(NULL, NULL, 1, 1, 0, 0, 0, npes, sync_b);
}

int main(void)
{
    int me, npes;
    struct samples all;
    begin(&me, &npes);
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++) sync_a[i] = sync_b[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    samples_make(&all);
    long *cell = need(2 * sizeof(long));
    EACH_SAMPLE(one, &all) {
        RMA_TYPES(MOVE)
        RMA_TYPES(ADD)
        COMPLEX_TYPES(ADD)
        BITWISE_REDUCE_TYPES(BITS)
        mem_forms(one);
        cell[0] = one->me + 1;
        CHECK(shmem_long_sum_reduce(one->team, &cell[1], &cell[0], 1) == 0);
        CHECK_OVER(one, "the sum after calls of no length", 0, cell[1], one->n * (one->n + 1) / 2);
    }
    active_sets(npes);
    samples_destroy(&all);
    end();
    return 0;
}
