// pes: 3 4 5
// Teams of the members take all but one of the slots that active sets share with them. Further sets find no slot, and their
// collectives are still correct, call after call, also beside a set that has a slot.
#include "sets.h"
#include <shmemx.h>

enum { TEAMS = 703, TIMES = 60 };
static shmem_team_t teams[TEAMS];
static struct sync syncs[SETS_MAX];
static long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1], source[2];
/* A place for each set: a PE of the next may be ahead. */
static long sum[SETS_MAX], heard[SETS_MAX];

static void use(const struct set *set, int number, int me, int i)
{
    long *sync = syncs[number].words, wanted = 0;
    for (int member = 0; member < set->size; member++) wanted += 10 * set_member(set, member) + i;
    source[0] = 10 * me + i;
    shmem_long_sum_to_all(&sum[number], &source[0], 1, set->start, set->log_stride, set->size, work, sync);
    CHECK_NTH("the sum of set", number, sum[number], wanted);
    shmem_barrier(set->start, set->log_stride, set->size, sync);
    source[1] = 7 * i;
    shmem_broadcast64(&heard[number], &source[1], 1, 0, set->start, set->log_stride, set->size, sync);
    CHECK_NTH("what was broadcast in set", number, heard[number], set->start == me ? 0 : 7 * i);
    shmem_barrier(set->start, set->log_stride, set->size, sync);
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    struct set sets[SETS_MAX];
    int count = sets_of(npes, sets);
    for (int i = 0; i < SETS_MAX; i++) sync_init(&syncs[i]);
    shmem_barrier_all();
    for (int i = 0; i < TEAMS; i++) shmemx_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, &teams[i]);
    for (int i = 0; i < TIMES; i++)
        for (int number = 0; number < count; number++)
            if (set_index(&sets[number], me) >= 0) use(&sets[number], number, me, i);
    shmem_barrier_all();
    for (int i = 0; i < count; i++) sync_check("every call", &syncs[i]);
    for (int i = 0; i < TEAMS; i++) shmem_team_destroy(teams[i]);
    for (int number = 0; number < count; number++)
        if (set_index(&sets[number], me) >= 0) use(&sets[number], number, me, TIMES);
    end();
    return 0;
}
