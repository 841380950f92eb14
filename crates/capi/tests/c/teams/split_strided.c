// pes: 1 2 3 4 5 8
// Every triplet with start -1..N, stride -N..N and size -1..N+1 over world, reversed and strided parents: members are
// start + i * stride in the parent's numbers, others get SHMEM_TEAM_INVALID with 0, a bad triplet is nonzero everywhere.
#include "samples.h"

static int good(int n, long start, long stride, long size)
{
    if (size < 1 || start < 0 || start >= n) return 0;
    if (size == 1) return 1; // the stride does not matter
    long last = start + (size - 1) * stride;
    return stride != 0 && last >= 0 && last < n;
}

/* The value returned by the first refusal; all others, on every PE, return the same. */
static int refusal[3];

static int place(int pe, int start, int stride, int size)
{
    for (int i = 0; i < size; i++)
        if (start + i * stride == pe) return i;
    return -1;
}

static void check(const struct sample *parent, int start, int stride, int size)
{
    shmem_team_t team = SHMEM_TEAM_WORLD;
    int result = shmem_team_split_strided(parent->team, start, stride, size, NULL, 0, &team);
    if ((result == 0) != good(parent->n, start, stride, size))
        FAIL("(%d, %d, %d) over %s of %d returned %d", start, stride, size, parent->name, parent->n, result);
    if (result != 0 && refusal[0] == 0) refusal[0] = result;
    if (result != 0) CHECK_OVER(parent, "a refused triplet", start, result, refusal[0]);
    int me = result == 0 ? place(parent->me, start, stride, size) : -1;
    if ((team == SHMEM_TEAM_INVALID) != (me < 0))
        FAIL("(%d, %d, %d) over %s of %d: a handle for a PE that is no member, or none", start, stride, size, parent->name,
             parent->n);
    if (me < 0) return;
    CHECK_EQ(shmem_team_my_pe(team), me);
    CHECK_EQ(shmem_team_n_pes(team), size);
    for (int i = 0; i < size; i++)
        CHECK_OVER(parent, "a strided member", i, shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD),
                   parent->world[start + i * stride]);
    CHECK(shmem_team_sync(team) == 0); // of use at once
    shmem_team_destroy(team);
}

static void all_triplets(const struct sample *parent)
{
    int n = parent->n;
    for (int start = -1; start <= n; start++)
        for (int stride = -n; stride <= n; stride++)
            for (int size = -1; size <= n + 1; size++) check(parent, start, stride, size);
    check(parent, n / 2, INT32_MAX, 1); // a team of one has no stride
    check(parent, n / 2, INT32_MIN, 1);
    check(parent, 0, INT32_MAX, n + 1); // must not overflow into something valid
    check(parent, 0, 1, INT32_MAX);
    check(parent, INT32_MAX, 1, 2);
    check(parent, 0, INT32_MIN, INT32_MAX);
}

int main(void)
{
    int me, npes;
    struct samples all;
    begin(&me, &npes);
    samples_make(&all);
    EACH_SAMPLE(one, &all) all_triplets(one);
    shmem_team_t team = SHMEM_TEAM_WORLD;
    CHECK(me > 0 || shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &team) != 0); // no other PE calls
    CHECK(me > 0 || team == SHMEM_TEAM_INVALID);
    CHECK(shmem_int_max_reduce(SHMEM_TEAM_WORLD, &refusal[1], &refusal[0], 1) == 0);
    CHECK(shmem_int_min_reduce(SHMEM_TEAM_WORLD, &refusal[2], &refusal[0], 1) == 0);
    CHECK(refusal[0] != 0 && refusal[1] == refusal[0] && refusal[2] == refusal[0]);
    samples_destroy(&all);
    end();
    return 0;
}
