// pes: 1 2 4
// Contexts with every combination of options carry every kind of operation; ctx_get_team answers for created, team and default
// contexts; the handles and their invalid twins are all distinct.
#include "check.h"

static int me, npes;
static long word;
static uint64_t sig;
/* Handles are constants: a static initialiser must take them. */
static shmem_ctx_t initial_ctx = SHMEM_CTX_DEFAULT;
static shmem_team_t initial_teams[] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEM_TEAM_INVALID};

static void use(shmem_ctx_t ctx, long options)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    long back = -1, was = -1;
    word = 0, sig = 0;
    shmem_barrier_all();
    shmem_ctx_long_p(ctx, &word, 10, to);
    shmem_ctx_fence(ctx);
    shmem_ctx_long_atomic_add(ctx, &word, me, to);
    shmem_ctx_long_put_signal(ctx, NULL, NULL, 0, &sig, 5, SHMEM_SIGNAL_ADD, to);
    shmem_ctx_signal_add(ctx, &sig, 1, to);
    shmem_ctx_quiet(ctx);
    shmem_ctx_long_get_nbi(ctx, &back, &word, 1, to);
    shmem_ctx_long_atomic_fetch_nbi(ctx, &was, &word, to);
    shmem_ctx_quiet(ctx);
    shmem_sync_all();
    CHECK_NTH("get_nbi with options", options, back, 10 + me);
    CHECK_NTH("atomic_fetch_nbi with options", options, was, 10 + me);
    CHECK_NTH("put and add with options", options, word, 10 + from);
    CHECK_NTH("signals with options", options, sig, 6);
    shmem_barrier_all();
}

static void every_option(void)
{
    for (long bits = 0; bits < 8; bits++) {
        long options = (bits & 1 ? SHMEM_CTX_PRIVATE : 0) | (bits & 2 ? SHMEM_CTX_SERIALIZED : 0) | (bits & 4 ? SHMEM_CTX_NOSTORE : 0);
        shmem_ctx_t ctx = SHMEM_CTX_INVALID, of_team = SHMEM_CTX_INVALID;
        shmem_team_t team = SHMEM_TEAM_INVALID;
        CHECK_EQ(shmem_ctx_create(options, &ctx), 0);
        CHECK(ctx != SHMEM_CTX_INVALID && ctx != SHMEM_CTX_DEFAULT);
        CHECK_EQ(shmem_ctx_get_team(ctx, &team), 0);
        CHECK(team == SHMEM_TEAM_WORLD);
        use(ctx, options);
        CHECK_EQ(shmem_team_create_ctx(SHMEM_TEAM_SHARED, options, &of_team), 0);
        CHECK(of_team != ctx);
        CHECK_EQ(shmem_ctx_get_team(of_team, &team), 0);
        CHECK(team == SHMEM_TEAM_SHARED);
        if (shmem_team_n_pes(SHMEM_TEAM_SHARED) == npes) use(of_team, options); // it numbers its PEs as WORLD does then
        shmem_ctx_destroy(ctx);
        shmem_ctx_destroy(of_team);
        CHECK_EQ(shmem_team_create_ctx(SHMEM_TEAM_WORLD, options, &ctx), 0);
        CHECK_EQ(shmem_ctx_get_team(ctx, &team), 0);
        CHECK(team == SHMEM_TEAM_WORLD);
        use(ctx, options);
        shmem_ctx_destroy(ctx);
    }
}

int main(void)
{
    begin(&me, &npes);
    shmem_team_t team = SHMEM_TEAM_INVALID;
    CHECK(initial_ctx == SHMEM_CTX_DEFAULT && SHMEM_CTX_DEFAULT != SHMEM_CTX_INVALID);
    CHECK(initial_teams[0] != initial_teams[1] && initial_teams[0] != initial_teams[2] && initial_teams[1] != initial_teams[2]);
    CHECK_EQ(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team), 0);
    CHECK(team == SHMEM_TEAM_WORLD);
    use(SHMEM_CTX_DEFAULT, -1);
    every_option();
    end();
    return 0;
}
