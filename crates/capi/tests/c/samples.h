/* Teams of every shape over the world, and their members by a formula that does not ask the library. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "types.h"

/* One team: its members' world numbers in the team's order. On a PE that is not a member, `n` is 0 and `me` -1. */
struct sample {
    const char *name;
    shmem_team_t team;
    int n, me;
    int world[PES_MAX];
};

enum { SAMPLES_MAX = 16 };
struct samples {
    int count;
    struct sample of[SAMPLES_MAX];
};

/* Compares element `index` of what `what` has given over a sample. */
#define CHECK_OVER(sample, what, index, got, want)                                                                     \
    do {                                                                                                               \
        long double got_ = (long double)(got), want_ = (long double)(want);                                            \
        if (got_ != want_)                                                                                             \
            FAIL("%s over %s of %d, PE %d: element %ld: %s is %.21Lg, expected %.21Lg", what, (sample)->name,          \
                 (sample)->n, (sample)->me, (long)(index), #got, got_, want_);                                         \
    } while (0)

static inline struct sample *samples_add(struct samples *all, const char *name, shmem_team_t team)
{
    struct sample *one = &all->of[all->count++];
    CHECK(all->count <= SAMPLES_MAX);
    one->name = name, one->team = team, one->n = 0, one->me = -1;
    return one;
}

/* Members `start + i * stride` of `parent`; a PE outside them has an empty sample. Members of the parent call. */
static inline struct sample *samples_strided(struct samples *all, const char *name, const struct sample *parent, int start,
                                             int stride, int size)
{
    shmem_team_t team = SHMEM_TEAM_WORLD;
    if (parent->n == 0) return samples_add(all, name, SHMEM_TEAM_INVALID);
    CHECK(shmem_team_split_strided(parent->team, start, stride, size, NULL, 0, &team) == 0);
    struct sample *one = samples_add(all, name, team);
    for (int i = 0; i < size; i++)
        if (start + i * stride == parent->me) one->n = size, one->me = i;
    for (int i = 0; i < one->n; i++) one->world[i] = parent->world[start + i * stride];
    if ((team == SHMEM_TEAM_INVALID) != (one->n == 0)) FAIL("%s: a handle for a PE that is no member, or none", name);
    return one;
}

/* The row and the column of a split in two dimensions. */
static inline void samples_grid(struct samples *all, const char *row, const char *column, const struct sample *parent,
                                int xrange)
{
    shmem_team_t x, y;
    CHECK(shmem_team_split_2d(parent->team, xrange, NULL, 0, &x, NULL, 0, &y) == 0);
    if (xrange > parent->n) xrange = parent->n;
    struct sample *one = samples_add(all, row, x);
    one->me = parent->me % xrange;
    for (int pe = parent->me - one->me; pe < parent->n && one->n < xrange; pe++) one->world[one->n++] = parent->world[pe];
    one = samples_add(all, column, y);
    one->me = parent->me / xrange;
    for (int pe = parent->me % xrange; pe < parent->n; pe += xrange) one->world[one->n++] = parent->world[pe];
}

/* World, shared, strided, reversed, nested, and both axes of grids over world and reversed world. All PEs call. */
static inline void samples_make(struct samples *all)
{
    int n = shmem_n_pes(), half = (n + 1) / 2;
    all->count = 0;
    struct sample *everybody = samples_add(all, "world", SHMEM_TEAM_WORLD), *shared = samples_add(all, "shared", SHMEM_TEAM_SHARED);
    everybody->n = n, everybody->me = shmem_my_pe();
    for (int pe = 0; pe < n; pe++) everybody->world[pe] = pe;
    for (int pe = 0; pe < n; pe++) { // PEs whose memory can be loaded: only the PE itself under some transports
        static long probe;
        if (shmem_ptr(&probe, pe) == NULL) continue;
        if (pe == shmem_my_pe()) shared->me = shared->n;
        shared->world[shared->n++] = pe;
    }
    const struct sample *world = &all->of[0];
    samples_strided(all, "even PEs", world, 0, 2, half);
    if (n > 1) samples_strided(all, "odd PEs", world, 1, 2, n / 2);
    if (n > 1) samples_strided(all, "all but the first", world, 1, 1, n - 1);
    const struct sample *reversed = samples_strided(all, "reversed world", world, n - 1, -1, n);
    const struct sample *nested = samples_strided(all, "every second of the reversed world", reversed, 0, 2, half);
    samples_strided(all, "reversed second of the reversed world", nested, half - 1, -1, half);
    samples_grid(all, "rows of 3", "columns of 3", world, 3);
    samples_grid(all, "rows of 2, reversed", "columns of 2, reversed", reversed, 2);
    samples_grid(all, "single PEs", "one column", reversed, 1);
}

static inline void samples_destroy(struct samples *all)
{
    for (int i = all->count - 1; i > 1; i--) // 0 and 1 are predefined
        if (all->of[i].n > 0) shmem_team_destroy(all->of[i].team);
    shmem_barrier_all();
}

/* Every sample that the calling PE is a member of. */
#define EACH_SAMPLE(one, all)                                                                                          \
    for (const struct sample *one = (all)->of; one < (all)->of + (all)->count; one++)                                  \
        if (one->n > 0)

#endif
