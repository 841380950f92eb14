// pes: 1 2
// The predefined handles are constants: they stand in static initialisers and case-like tables, differ from each other, and
// mean the same at run time.
#include "check.h"

static shmem_team_t world = SHMEM_TEAM_WORLD;
static const shmem_team_t handles[3] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEM_TEAM_INVALID};
static shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
static const struct {
    shmem_ctx_t ctx;
    shmem_team_t team;
} pairs[] = {{SHMEM_CTX_DEFAULT, SHMEM_TEAM_WORLD}, {SHMEM_CTX_INVALID, SHMEM_TEAM_INVALID}};
static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) CHECK((handles[i] == handles[j]) == (i == j));
    CHECK(world == SHMEM_TEAM_WORLD && pairs[0].team == world && pairs[1].team == SHMEM_TEAM_INVALID);
    CHECK(pairs[0].ctx == ctx && pairs[1].ctx == SHMEM_CTX_INVALID && ctx != SHMEM_CTX_INVALID);
    CHECK_EQ(shmem_team_n_pes(world), npes);
    CHECK_EQ(shmem_team_my_pe(world), me);
    shmem_ctx_long_p(ctx, &word, me + 1, (me + 1) % npes);
    shmem_barrier_all();
    CHECK_EQ(word, (me + npes - 1) % npes + 1);
    shmem_team_t from_ctx = SHMEM_TEAM_INVALID;
    CHECK(shmem_ctx_get_team(ctx, &from_ctx) == 0);
    CHECK(from_ctx == SHMEM_TEAM_WORLD);
    end();
    return 0;
}
