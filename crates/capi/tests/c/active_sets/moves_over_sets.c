// pes: 1 2 3 4 7 8
// broadcast, collect, fcollect, alltoall and alltoalls of 32 and 64 bits over active sets of every stride, called by members
// alone, with two pSyncs in turn, in statics and in the heap. The root of a broadcast keeps its destination; pSync is restored.
#include "sets.h"

enum { LEN = 6, DST = 3, SST = 2, ROOM = PES_MAX * LEN * 3 + 1 };
static int me, npes, calls;
static struct sync static_syncs[3];

#define DEFINE(BITS, T)                                                                                                \
    static T static_##BITS[2 * ROOM];                                                                                  \
                                                                                                                       \
    static long *ready_##BITS(const struct set *set, T *dest, T *source, struct sync *syncs, struct sync *meet)        \
    {                                                                                                                  \
        for (int i = 0; i < ROOM; i++) dest[i] = source[i] = GUARD(T);                                                 \
        shmem_sync(set->start, set->log_stride, set->size, meet->words);                                               \
        return syncs[calls++ % 2].words;                                                                               \
    }                                                                                                                  \
                                                                                                                       \
    static void broadcast_##BITS(const struct set *set, int mine, T *dest, T *source, struct sync *syncs)              \
    {                                                                                                                  \
        int start = set->start, log = set->log_stride, n = set->size;                                                  \
        for (int root = 0; root < n; root++) {                                                                         \
            long *sync = ready_##BITS(set, dest, source, syncs, syncs + 2);                                            \
            for (int i = 0; i < LEN; i++) source[i] = VALUE(T, mine, 1, i);                                            \
            shmem_broadcast##BITS(dest, source, LEN, root, start, log, n, sync);                                       \
            for (int i = 0; i < LEN; i++)                                                                              \
                CHECK_NTH("shmem_broadcast" #BITS, i, dest[i], mine == root ? GUARD(T) : VALUE(T, root, 1, i));        \
            CHECK_EQ(dest[LEN], GUARD(T));                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void collect_##BITS(const struct set *set, int mine, T *dest, T *source, struct sync *syncs)                \
    {                                                                                                                  \
        int start = set->start, log = set->log_stride, n = set->size, at = 0;                                          \
        long *sync = ready_##BITS(set, dest, source, syncs, syncs + 2);                                                \
        for (int i = 0; i < LEN; i++) source[i] = VALUE(T, mine, 2, i);                                                \
        shmem_collect##BITS(dest, source, (size_t)(mine + 2) % 3 * 3, start, log, n, sync);                            \
        for (int pe = 0; pe < n; pe++)                                                                                 \
            for (int i = 0; i < (pe + 2) % 3 * 3; i++, at++)                                                           \
                CHECK_NTH("shmem_collect" #BITS, at, dest[at], VALUE(T, pe, 2, i));                                    \
        CHECK_EQ(dest[at], GUARD(T));                                                                                  \
        sync = ready_##BITS(set, dest, source, syncs, syncs + 2);                                                      \
        for (int i = 0; i < LEN; i++) source[i] = VALUE(T, mine, 3, i);                                                \
        shmem_fcollect##BITS(dest, source, LEN, start, log, n, sync);                                                  \
        for (int i = 0; i < n * LEN; i++)                                                                              \
            CHECK_NTH("shmem_fcollect" #BITS, i, dest[i], VALUE(T, i / LEN, 3, i % LEN));                              \
        CHECK_EQ(dest[n * LEN], GUARD(T));                                                                             \
    }                                                                                                                  \
                                                                                                                       \
    static void alltoall_##BITS(const struct set *set, int mine, T *dest, T *source, struct sync *syncs)               \
    {                                                                                                                  \
        int start = set->start, log = set->log_stride, n = set->size;                                                  \
        long *sync = ready_##BITS(set, dest, source, syncs, syncs + 2);                                                \
        for (int i = 0; i < n * LEN; i++) source[i] = VALUE(T, mine, i / LEN, i % LEN);                                \
        shmem_alltoall##BITS(dest, source, LEN, start, log, n, sync);                                                  \
        for (int i = 0; i < n * LEN; i++)                                                                              \
            CHECK_NTH("shmem_alltoall" #BITS, i, dest[i], VALUE(T, i / LEN, mine, i % LEN));                           \
        CHECK_EQ(dest[n * LEN], GUARD(T));                                                                             \
        sync = ready_##BITS(set, dest, source, syncs, syncs + 2);                                                      \
        for (int i = 0; i < n * LEN; i++) source[SST * i] = VALUE(T, mine, i / LEN, i % LEN);                          \
        shmem_alltoalls##BITS(dest, source, DST, SST, LEN, start, log, n, sync);                                       \
        for (int i = 0; i < ROOM; i++) {                                                                               \
            int k = i / DST, gap = i % DST != 0 || k >= n * LEN;                                                       \
            CHECK_NTH("shmem_alltoalls" #BITS, i, dest[i], gap ? GUARD(T) : VALUE(T, k / LEN, mine, k % LEN));         \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void all_##BITS(T *memory, struct sync *syncs)                                                              \
    {                                                                                                                  \
        struct set sets[SETS_MAX];                                                                                     \
        int count = sets_of(npes, sets);                                                                               \
        EACH_SET(set, sets, count) {                                                                                   \
            int mine = set_index(set, me);                                                                             \
            if (mine >= 0) {                                                                                           \
                broadcast_##BITS(set, mine, memory, memory + ROOM, syncs);                                             \
                collect_##BITS(set, mine, memory, memory + ROOM, syncs);                                               \
                alltoall_##BITS(set, mine, memory, memory + ROOM, syncs);                                              \
            }                                                                                                          \
            shmem_barrier_all(); /* the next set may overlap this one */                                               \
            for (int i = 0; i < 3; i++) sync_check("a collective of " #BITS " bits", &syncs[i]);                       \
        }                                                                                                              \
    }
DEFINE(32, uint32_t)
DEFINE(64, uint64_t)

static void set_up(struct sync *syncs)
{
    for (int i = 0; i < 3; i++) sync_init(&syncs[i]);
    shmem_barrier_all();
}

int main(void)
{
    begin(&me, &npes);
    struct sync *syncs = need(3 * sizeof *syncs);
    uint64_t *memory = need(2 * ROOM * sizeof *memory);
    set_up(syncs);
    set_up(static_syncs);
    all_32((uint32_t *)memory, static_syncs);
    all_64(memory, static_syncs);
    all_32(static_32, syncs);
    all_64(static_64, syncs);
    end();
    return 0;
}
