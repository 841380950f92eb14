// pes: 2 4 7
// One atomicity domain: a PE's atomics on its own memory and its peers' atomics on it never lose each other's updates, on
// contexts of SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED and the default one alike.
#include "check.h"

enum { ROUNDS = 20000 };

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    long *count = need(sizeof *count);
    shmem_ctx_t world, shared;
    *count = 0;
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &world) == 0);
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_SHARED, 0, &shared) == 0);
    shmem_barrier_all();
    /* A PE that cannot load PE 0's memory does not use the shared team. */
    int there = shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_SHARED);
    for (int i = 0; i < ROUNDS; i++) {
        shmem_ctx_t ctx = i % 3 == 0 ? SHMEM_CTX_DEFAULT : i % 3 == 1 || there < 0 ? world : shared;
        if (i % 2) shmem_ctx_long_atomic_inc(ctx, count, ctx == shared ? there : 0);
        else (void)shmem_ctx_long_atomic_fetch_add(ctx, count, 1, ctx == shared ? there : 0);
    }
    shmem_ctx_destroy(shared);
    shmem_ctx_destroy(world);
    shmem_barrier_all();
    if (me == 0) CHECK_EQ(*count, (long)ROUNDS * npes);
    end();
    return 0;
}
