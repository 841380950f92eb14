// pes: 1 2 3 4 5 8
// my_pe, n_pes, get_config and translate_pe, between teams of every shape and with SHMEM_TEAM_INVALID on either side.
#include "samples.h"

static int index_of(const struct sample *one, int world)
{
    for (int i = 0; i < one->n; i++)
        if (one->world[i] == world) return i;
    return -1;
}

static void translate(const struct sample *from, const struct sample *to)
{
    for (int pe = 0; pe < from->n; pe++)
        CHECK_OVER(from, to->name, pe, shmem_team_translate_pe(from->team, pe, to->team), index_of(to, from->world[pe]));
    CHECK_EQ(shmem_team_translate_pe(from->team, from->n, to->team), -1);
    CHECK_EQ(shmem_team_translate_pe(from->team, from->n + 1000, to->team), -1);
    CHECK_EQ(shmem_team_translate_pe(from->team, -1, to->team), -1);
    CHECK_EQ(shmem_team_translate_pe(from->team, INT32_MIN, to->team), -1);
    CHECK_EQ(shmem_team_translate_pe(from->team, INT32_MAX, to->team), -1);
}

static void invalid(void)
{
    CHECK_EQ(shmem_team_my_pe(SHMEM_TEAM_INVALID), -1);
    CHECK_EQ(shmem_team_n_pes(SHMEM_TEAM_INVALID), -1);
    shmem_team_config_t config = {77};
    CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, SHMEM_TEAM_NUM_CONTEXTS, &config) != 0);
    CHECK_EQ(config.num_contexts, 77);
    CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, 0, NULL) != 0);
    CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD), -1);
    CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID), -1);
    CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_INVALID), -1);
    shmem_team_destroy(SHMEM_TEAM_INVALID);
}

int main(void)
{
    int me, npes;
    struct samples all;
    begin(&me, &npes);
    invalid();
    samples_make(&all);
    EACH_SAMPLE(one, &all) {
        CHECK_OVER(one, "shmem_team_my_pe", 0, shmem_team_my_pe(one->team), one->me);
        CHECK_OVER(one, "shmem_team_n_pes", 0, shmem_team_n_pes(one->team), one->n);
        CHECK_EQ(one->world[one->me], me);
        shmem_team_config_t config = {77};
        CHECK(shmem_team_get_config(one->team, 0, NULL) == 0);
        CHECK(shmem_team_get_config(one->team, 0, &config) == 0);
        CHECK_EQ(config.num_contexts, 77);
        CHECK(shmem_team_get_config(one->team, SHMEM_TEAM_NUM_CONTEXTS, &config) == 0);
        CHECK(config.num_contexts >= 0 && config.num_contexts != 77);
        CHECK_EQ(shmem_team_translate_pe(one->team, 0, SHMEM_TEAM_INVALID), -1);
        EACH_SAMPLE(other, &all) translate(one, other);
    }
    samples_destroy(&all);
    shmem_team_config_t config = {3};
    shmem_team_t team;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, &config, SHMEM_TEAM_NUM_CONTEXTS, &team) == 0);
    config.num_contexts = 0;
    CHECK(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &config) == 0);
    CHECK(config.num_contexts >= 3);
    shmem_team_destroy(team);
    end();
    return 0;
}
