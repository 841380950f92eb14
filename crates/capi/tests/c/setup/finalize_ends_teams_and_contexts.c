// pes: 1 2 4
// Teams, and contexts that threads may share, need not be destroyed: the last finalize completes their operations and destroys
// them, in each of many lives, without memory growing and without using up resources of later lives.
#include "check.h"
#include <limits.h>

enum { SOME = 5, TEAMS = 40 };
static long words[TEAMS], seen;

static long resident_pages(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &size, &resident) != 2) FAIL("cannot read /proc/self/statm");
    fclose(file);
    return resident;
}

/* Leave teams, teams of teams, and contexts of both. */
static void live(int life)
{
    int me, npes;
    begin(&me, &npes);
    shmem_team_t parent = SHMEM_TEAM_WORLD;
    for (int i = 0; i < TEAMS; i++) {
        shmem_team_t team;
        shmem_ctx_t ctx;
        if (shmem_team_split_strided(parent, npes - 1, -1, npes, NULL, 0, &team) != 0) FAIL("life %d: no team %d", life, i);
        CHECK(shmem_team_create_ctx(team, SHMEM_CTX_SERIALIZED, &ctx) == 0);
        int self = shmem_team_my_pe(team);
        shmem_ctx_long_put_nbi(ctx, &words[i], &(const long){life * 100L + i}, 1, self);
        shmem_ctx_quiet(ctx); // the source ends here
        shmem_ctx_long_atomic_add(ctx, &seen, 1, (self + 1) % npes);
        if (i % 4 == 3) parent = team;
    }
    end();
    for (int i = 0; i < TEAMS; i++) CHECK_NTH("word put on a context of a team", i, words[i], life * 100L + i);
    CHECK_EQ(seen, (life + 1L) * TEAMS);
}

/* The number of pages by which some lives have grown this process. */
static long grown_by(int from, int to)
{
    long before = resident_pages();
    for (int life = from; life < to; life++) live(life);
    return resident_pages() - before;
}

int main(void)
{
    (void)grown_by(0, 2 * SOME);
    // Memory that is mapped once, at any time, is no leak. Neither are the pools of a transport's library, which appear and disappear by
    // thousands of pages. A leak grows each time.
    long least = LONG_MAX;
    for (int i = 2; i < 10; i++) {
        long grown = grown_by(i * SOME, (i + 1) * SOME);
        if (grown < least) least = grown;
    }
    if (least > 256) FAIL("each time %d lives have left %ld pages or more", SOME, least);
    return 0;
}
