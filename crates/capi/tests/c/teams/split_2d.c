// pes: 1 2 3 4 5 6 7 8 10 16
// xrange 1..N+3 over parents of every shape: members by the formula, numbers by coordinate, teams usable at once and side by
// side; xrange <= 0 returns nonzero and invalid handles everywhere; so does an invalid parent, without waiting.
#include "samples.h"

static void members(const struct sample *parent, shmem_team_t team, int first, int step, int size, int me)
{
    CHECK_OVER(parent, "n_pes of an axis", step, shmem_team_n_pes(team), size);
    CHECK_OVER(parent, "my_pe of an axis", step, shmem_team_my_pe(team), me);
    for (int i = 0; i < size; i++)
        CHECK_OVER(parent, "a member of an axis", i, shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD),
                   parent->world[first + i * step]);
    CHECK_EQ(shmem_team_translate_pe(team, size, SHMEM_TEAM_WORLD), -1);
}

static int smaller(int a, int b) { return a < b ? a : b; }

static void split(const struct sample *parent, int xrange, int *cells)
{
    shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD;
    CHECK_OVER(parent, "shmem_team_split_2d", xrange, shmem_team_split_2d(parent->team, xrange, NULL, 0, &x, NULL, 0, &y), 0);
    int n = parent->n, width = smaller(xrange, n), row = parent->me / width, column = parent->me % width;
    int in_row = smaller(width, n - row * width), in_column = (n - column + width - 1) / width;
    members(parent, x, row * width, 1, in_row, column);
    members(parent, y, column, width, in_column, row);
    for (int turn = 0; turn < 3; turn++) { // interleaved: each PE is in both, with other neighbours
        int *sums = cells + 4 * turn;
        sums[0] = parent->me;
        CHECK(shmem_int_sum_reduce(x, &sums[1], &sums[0], 1) == 0);
        CHECK(shmem_int_sum_reduce(y, &sums[2], &sums[0], 1) == 0);
        CHECK_EQ(sums[1], in_row * row * width + in_row * (in_row - 1) / 2);
        CHECK_EQ(sums[2], in_column * column + width * in_column * (in_column - 1) / 2);
    }
    shmem_team_destroy(x);
    shmem_team_destroy(y);
}

static void refuse(const struct sample *parent, int xrange)
{
    shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD;
    CHECK(shmem_team_split_2d(parent->team, xrange, NULL, 0, &x, NULL, 0, &y) != 0);
    CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
}

int main(void)
{
    int me, npes;
    struct samples all;
    begin(&me, &npes);
    int *cells = need(12 * sizeof(int));
    samples_make(&all);
    EACH_SAMPLE(parent, &all) {
        for (int xrange = 1; xrange <= parent->n + 3; xrange++) split(parent, xrange, cells);
        split(parent, INT32_MAX, cells);
        const int never[] = {0, -1, -3, INT32_MIN};
        for (int i = 0; i < 4; i++) refuse(parent, never[i]);
    }
    shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_SHARED;
    if (me == npes - 1) { // no other PE calls
        CHECK(shmem_team_split_2d(SHMEM_TEAM_INVALID, 2, NULL, 0, &x, NULL, 0, &y) != 0);
        CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
    }
    samples_destroy(&all);
    // Each column may have a configuration of its own.
    shmem_team_config_t row = {1}, column = {me % 3 + 1}, read = {0};
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 3, &row, SHMEM_TEAM_NUM_CONTEXTS, &x, &column, SHMEM_TEAM_NUM_CONTEXTS,
                              &y) == 0);
    CHECK(shmem_team_get_config(y, SHMEM_TEAM_NUM_CONTEXTS, &read) == 0);
    CHECK(read.num_contexts >= me % 3 + 1);
    end(); // finalize ends teams that are left
    return 0;
}
