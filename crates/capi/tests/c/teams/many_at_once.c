// pes: 1 2 3 5
// More teams at once than most programs ever have: each works, in any order, whatever other teams exist, and so do teams that
// reuse the slots of others. Over a fabric, members learn each other's addresses in each team separately.
#include "check.h"

enum { TEAMS = 60, ROUNDS = 2, LONG = 5000 };

static shmem_team_t teams[TEAMS];
static long source[LONG], dest[LONG];

/* all PEs may write dest again */
static void settle(shmem_team_t team) { CHECK(shmem_team_sync(team) == 0); }

/* Several kinds of messages: of flags only, of data that fit beside a flag, of data that do not, and of counted data. */
static void use(shmem_team_t team, long salt)
{
    int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
    settle(team);
    source[0] = salt + me;
    CHECK(shmem_long_sum_reduce(team, dest, source, 1) == 0);
    CHECK_EQ(dest[0], n * salt + n * (n - 1) / 2);

    settle(team);
    for (int i = 0; i < LONG; i++) source[i] = salt * i + me;
    CHECK(shmem_long_max_reduce(team, dest, source, LONG) == 0);
    for (int i = 0; i < LONG; i++) CHECK_EQ(dest[i], salt * i + n - 1);

    settle(team);
    source[0] = salt - me;
    CHECK(shmem_long_fcollect(team, dest, source, 1) == 0);
    for (int i = 0; i < n; i++) CHECK_EQ(dest[i], salt - i);

    settle(team);
    for (int i = 0; i < n; i++) source[i] = salt + 100 * me + i;
    CHECK(shmem_long_alltoall(team, dest, source, 1) == 0);
    for (int i = 0; i < n; i++) CHECK_EQ(dest[i], salt + 100 * i + me);

    settle(team);
    source[0] = salt;
    int root = (int)(salt % n);
    if (me != root) source[0] = 0;
    CHECK(shmem_long_broadcast(team, dest, source, 1, root) == 0);
    CHECK_EQ(dest[0], salt);
    settle(team);
}

static void make(int i, int npes)
{
    int turned = i % 2;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, turned ? npes - 1 : 0, turned ? -1 : 1, npes, NULL, 0, &teams[i]) == 0);
    CHECK_EQ(shmem_team_my_pe(teams[i]), turned ? npes - 1 - shmem_my_pe() : shmem_my_pe());
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)me;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TEAMS; i++) {
            make(i, npes);
            use(teams[i], i + 1);
        }
        for (int i = TEAMS - 1; i >= 0; i--) use(teams[i], 1000 + i);
        // Other teams are in the slots of these.
        for (int i = 0; i < TEAMS; i += 3) shmem_team_destroy(teams[i]);
        for (int i = 0; i < TEAMS; i += 3) make(i, npes);
        for (int i = 0; i < TEAMS; i++) use(teams[i], 2000 + i);
        for (int i = 0; i < TEAMS; i++) shmem_team_destroy(teams[i]);
    }
    end();
    return 0;
}
