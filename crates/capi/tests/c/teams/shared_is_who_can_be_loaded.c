// pes: 1 2 4 7
// SHMEM_TEAM_SHARED is those PEs, and no others, whose heap this PE can load and store, for every block and from either side;
// with it atomics on a word are of one domain, whichever team's context they go through.
#include "check.h"

enum { BLOCKS = 20, ADDS = 500 };
static long count;

/* A member of SHARED has an address here for each block; other PEs have NULL for each. */
static void same_as_ptr(char *const *blocks, int npes)
{
    for (int pe = 0; pe < npes; pe++) {
        int member = shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED);
        for (int i = 0; i < BLOCKS; i++) {
            char *there = shmem_ptr(blocks[i], pe);
            CHECK_NTH("shmem_ptr to a PE of SHMEM_TEAM_SHARED", pe, there != NULL, member >= 0);
            if (member >= 0) CHECK(shmem_team_ptr(SHMEM_TEAM_SHARED, blocks[i], member) == there);
        }
    }
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) blocks[i] = need(1 + (size_t)i * i * 997);
    same_as_ptr(blocks, npes);
    int n = shmem_team_n_pes(SHMEM_TEAM_SHARED), mine = shmem_team_my_pe(SHMEM_TEAM_SHARED);
    CHECK(mine >= 0 && mine < n && n <= npes);
    /* Both sides see the same memory: each member leaves a mark with each other member by a plain store. */
    unsigned char *marks = need((size_t)npes);
    memset(marks, 0, (size_t)npes);
    shmem_barrier_all();
    for (int pe = 0; pe < n; pe++) ((unsigned char *)shmem_team_ptr(SHMEM_TEAM_SHARED, marks, pe))[mine] = 1;
    shmem_barrier_all();
    for (int pe = 0; pe < n; pe++) CHECK_NTH("mark of a member", pe, marks[pe], 1);
    shmem_ctx_t shared;
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_SHARED, 0, &shared) == 0);
    for (int i = 0; i < ADDS; i++) {
        shmem_ctx_long_atomic_inc(shared, &count, 0);
        shmem_long_atomic_inc(&count, shmem_team_translate_pe(SHMEM_TEAM_SHARED, 0, SHMEM_TEAM_WORLD));
    }
    shmem_ctx_destroy(shared);
    shmem_barrier_all();
    if (mine == 0) CHECK_EQ(count, 2L * ADDS * n);
    shmem_barrier_all();
    end();
    return 0;
}
