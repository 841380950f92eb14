// The predefined device teams wherever a routine takes a team: numbers, splits, contexts, addresses of members, and collectives of device
// memory over teams that come from them.
// pes: 1 2 3 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// flags: -ldl
#include "device.h"

enum { N = 300 };

static long here[N], back[4 * N];

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    CHECK_EQ(shmem_team_my_pe(SHMEM_DEVICE_TEAM_WORLD), me);
    CHECK_EQ(shmem_team_n_pes(SHMEM_DEVICE_TEAM_WORLD), npes);
    shmem_team_t shared = SHMEM_DEVICE_TEAM_SHARED;
    int near = shmem_team_n_pes(shared);
    CHECK_EQ(shmem_team_translate_pe(shared, shmem_team_my_pe(shared), SHMEM_DEVICE_TEAM_WORLD), me);
    long *block = need_device(N * sizeof(long)), *all = need_device(4 * N * sizeof(long));

    /* Members of the shared team reach each other's heaps by an address, for which their driver copies. */
    for (int member = 0; member < near; member++) {
        int pe = shmem_team_translate_pe(shared, member, SHMEM_TEAM_WORLD);
        long *there = shmem_team_ptr(shared, block, member);
        CHECK(there != NULL && there == shmem_ptr(block, pe));
        if (member == (shmem_team_my_pe(shared) + 1) % near) {
            for (int i = 0; i < N; i++) here[i] = 100 * me + i;
            write_to(there, 1, here, sizeof here);
        }
    }
    shmem_barrier_all();
    int before = shmem_team_translate_pe(shared, (shmem_team_my_pe(shared) + near - 1) % near, SHMEM_TEAM_WORLD);
    read_from(back, block, 1, N * sizeof(long));
    for (int i = 0; i < N; i++) CHECK_NTH("the store of a member", i, back[i], 100L * before + i);
    shmem_barrier_all();

    /* Every second PE, with a context of its own and collectives. */
    shmem_team_t even;
    CHECK_EQ(shmem_team_split_strided(SHMEM_DEVICE_TEAM_WORLD, 0, 2, (npes + 1) / 2, NULL, 0, &even), 0);
    if (even != SHMEM_TEAM_INVALID) {
        int n = shmem_team_n_pes(even), rank = shmem_team_my_pe(even);
        shmem_ctx_t ctx;
        CHECK_EQ(shmem_team_create_ctx(even, SHMEM_CTX_SERIALIZED, &ctx), 0);
        for (int i = 0; i < N; i++) here[i] = 1000 * rank + i;
        shmem_ctx_long_put_nbi(ctx, block, here, N, (rank + 1) % n);
        shmem_ctx_quiet(ctx);
        shmem_team_sync(even);
        read_from(back, block, 1, N * sizeof(long));
        for (int i = 0; i < N; i++) CHECK_NTH("a put over a context", i, back[i], 1000L * ((rank + n - 1) % n) + i);
        shmem_ctx_destroy(ctx);
        shmem_team_sync(even);
        CHECK_EQ(shmem_long_fcollect(even, all, block, N), 0);
        read_from(back, all, 1, n * N * sizeof(long));
        for (int i = 0; i < n * N; i++) CHECK_NTH("fcollect", i, back[i], 1000L * ((i / N + n - 1) % n) + i % N);
        CHECK_EQ(shmem_long_max_reduce(even, all, block, N), 0);
        read_from(back, all, 1, N * sizeof(long));
        for (int i = 0; i < N; i++) CHECK_NTH("a reduction", i, back[i], 1000L * (n - 1) + i);
        shmem_team_destroy(even);
    }

    /* Rows and columns of the device team. */
    shmem_team_t row, column;
    CHECK_EQ(shmem_team_split_2d(SHMEM_DEVICE_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column), 0);
    long mark = 7 * me;
    shmem_long_put(block, &mark, 1, me);
    CHECK_EQ(shmem_long_broadcast(row, all, block, 1, 0), 0);
    CHECK_EQ(shmem_long_g(all, me), 7L * shmem_team_translate_pe(row, 0, SHMEM_TEAM_WORLD));
    CHECK_EQ(shmem_long_sum_reduce(column, all, block, 1), 0);
    long sum = 0;
    for (int pe = 0; pe < npes; pe++) sum += pe % 2 == me % 2 ? 7L * pe : 0;
    CHECK_EQ(shmem_long_g(all, me), sum);
    shmem_ctx_t refused;
    CHECK(shmem_team_create_ctx(SHMEM_DEVICE_TEAM_WORLD, SHMEM_DEVICE_CTX, &refused) != 0 && refused == SHMEM_CTX_INVALID);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
