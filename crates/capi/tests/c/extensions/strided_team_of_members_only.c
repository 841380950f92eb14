// pes: 1 2 5 8
// shmemx_team_split_strided: created by its members alone while the others do something else; others may call and get
// SHMEM_TEAM_NULL; members are ordered by their world numbers, also from a reversed parent; the handle is an ordinary team.
#include "check.h"
#include <shmemx.h>

static int me, npes;
static shmem_team_t made = SHMEM_TEAM_NULL;

static void check_members(shmem_team_t team, int first, int stride, int size)
{
    CHECK_EQ(shmemx_team_n_pes(team), size);
    CHECK_EQ(first + shmemx_team_my_pe(team) * stride, me);
    for (int i = 0; i < size; i++) CHECK_NTH("member", i, shmemx_team_translate_pe(team, i, SHMEM_TEAM_WORLD), first + i * stride);
}

static void odd_ones(int by_the_older_name)
{
    int size = npes / 2;
    if (me % 2 == 0 || size == 0) return; // does not call at all
    if (by_the_older_name) shmemx_team_create_strided(1, 2, size, &made);
    else shmemx_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, size, &made);
    check_members(made, 1, 2, size);
    CHECK_EQ(shmemx_team_npes(made), size);
    CHECK_EQ(shmemx_team_mype(made), shmemx_team_my_pe(made));
    static int source, dest;
    source = me;
    CHECK_EQ(shmem_int_sum_reduce(made, &dest, &source, 1), 0);
    CHECK_EQ(dest, size * size);
    shmemx_team_destroy(&made);
    CHECK(made == SHMEM_TEAM_NULL);
}

static void all_call(void)
{
    int size = (npes + 1) / 2;
    made = SHMEM_TEAM_WORLD;
    // The team of the host, if all PEs are on one host.
    shmem_team_t all = shmem_team_n_pes(SHMEM_TEAM_NODE) == npes ? SHMEM_TEAM_NODE : SHMEM_TEAM_WORLD;
    shmemx_team_split_strided(all, 0, 2, size, &made);
    if (me % 2) {
        CHECK(made == SHMEM_TEAM_NULL);
        CHECK(made == SHMEM_TEAM_INVALID);
        CHECK_EQ(shmemx_team_my_pe(made), -1);
        CHECK_EQ(shmemx_team_n_pes(made), -1);
    } else {
        check_members(made, 0, 2, size);
    }
    shmemx_team_destroy(&made);
}

static void from_a_reversed_parent(void)
{
    shmem_team_t reversed;
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &reversed), 0);
    CHECK_EQ(shmem_team_my_pe(reversed), npes - 1 - me);
    shmemx_team_split_strided(reversed, 0, 1, npes, &made);
    check_members(made, 0, 1, npes);
    shmemx_team_destroy(&made);
    int size = npes > 1 ? npes - 1 : 1; // the world's last PEs
    shmemx_team_split_strided(reversed, 0, 1, size, &made);
    if (me >= npes - size) check_members(made, npes - size, 1, size);
    else CHECK(made == SHMEM_TEAM_NULL);
    shmemx_team_destroy(&made);
    shmem_team_destroy(reversed);
}

int main(void)
{
    begin(&me, &npes);
    for (int i = 0; i < 50; i++) {
        odd_ones(0);
        odd_ones(1);
        all_call();
        from_a_reversed_parent();
    }
    end();
    return 0;
}
