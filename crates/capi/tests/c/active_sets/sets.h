/* Active sets: PE_start, logPE_stride, PE_size, and work arrays that are watched. */
#ifndef SETS_H
#define SETS_H

#include "types.h"

struct set {
    int start, log_stride, size;
};

static inline int set_member(const struct set *set, int i) { return set->start + (i << set->log_stride); }

/* The PE's number in the set, or -1. */
static inline int set_index(const struct set *set, int pe)
{
    for (int i = 0; i < set->size; i++)
        if (set_member(set, i) == pe) return i;
    return -1;
}

/* Sets for any number of PEs, those first that are within `npes`; returns how many are. Strides of 1, 2 and 4: a library that
 * took the logarithm for the stride would ask the wrong PEs. */
static inline int sets_of(int npes, struct set *sets)
{
    static const struct set wanted[] = {{0, 0, 1}, {0, 0, 2}, {1, 0, 2}, {0, 1, 2}, {1, 1, 2}, {0, 0, 3}, {1, 0, 3}, {0, 1, 3},
                                        {0, 2, 2}, {1, 2, 2}, {0, 1, 4}, {1, 1, 3}, {2, 0, 4}, {3, 2, 2}, {0, 0, 7}, {0, 30, 1}};
    int count = 0;
    sets[count++] = (struct set){0, 0, npes};
    sets[count++] = (struct set){npes - 1, 0, 1};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (set_member(&wanted[i], wanted[i].size - 1) < npes) sets[count++] = wanted[i];
    return count;
}
enum { SETS_MAX = 18 };

#define EACH_SET(set, sets, count)                                                                                     \
    for (const struct set *set = sets; set < (sets) + (count); set++)

/* A pSync of the whole size, with words before and behind that must not change. */
struct sync {
    long before[4], words[SHMEM_SYNC_SIZE], behind[4];
};

static inline void sync_init(struct sync *sync)
{
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++) sync->words[i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < 4; i++) sync->before[i] = sync->behind[i] = 0x5A5A5A5A5A5A5A5A;
}

/* Every word holds SHMEM_SYNC_VALUE again. */
static inline void sync_check(const char *after, const struct sync *sync)
{
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        if (sync->words[i] != SHMEM_SYNC_VALUE) FAIL("%s leaves %#lx in word %d of pSync", after, sync->words[i], i);
    for (int i = 0; i < 4; i++)
        if (sync->before[i] != 0x5A5A5A5A5A5A5A5A || sync->behind[i] != 0x5A5A5A5A5A5A5A5A)
            FAIL("%s writes outside of pSync", after);
}

static inline int work_size(int nreduce)
{
    int half = nreduce / 2 + 1;
    return half > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? half : SHMEM_REDUCE_MIN_WRKDATA_SIZE;
}

#endif
