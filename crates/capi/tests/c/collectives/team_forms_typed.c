// pes: 1 2 3 4 7 8
// broadcast, collect, fcollect, alltoall and alltoalls in all 24 types, over teams of every shape, in the heap and in statics.
// Guards stand behind every destination and between strided elements.
#include "samples.h"

enum { LEN = 5, DST = 2, SST = 3, ROOM = PES_MAX * LEN * 3 + 1 };
static struct samples all;

/* Contiguous results: element i of member pe's part must be VALUE(pe, to, i); what is behind the last part is a guard. */
#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME[2 * ROOM];                                                                                  \
                                                                                                                       \
    static void ready_##NAME(const struct sample *one, T *dest, T *source)                                             \
    {                                                                                                                  \
        for (int i = 0; i < ROOM; i++) dest[i] = source[i] = GUARD(T);                                                 \
        CHECK(shmem_team_sync(one->team) == 0);                                                                        \
    }                                                                                                                  \
                                                                                                                       \
    static void broadcast_##NAME(const struct sample *one, T *dest, T *source)                                         \
    {                                                                                                                  \
        for (int root = 0; root < one->n; root++) {                                                                    \
            ready_##NAME(one, dest, source);                                                                           \
            if (one->me == root)                                                                                       \
                for (int i = 0; i < LEN; i++) source[i] = VALUE(T, root, 0, i);                                        \
            CHECK(shmem_##NAME##_broadcast(one->team, dest, source, LEN, root) == 0);                                  \
            for (int i = 0; i < LEN; i++)                                                                              \
                CHECK_OVER(one, "shmem_" #NAME "_broadcast", i, dest[i], VALUE(T, root, 0, i));                        \
            CHECK_OVER(one, "shmem_" #NAME "_broadcast, guard", LEN, dest[LEN], GUARD(T));                             \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    /* Member pe gives (pe * 3 + 1) % LEN elements, so some give none, and every length differs from its neighbour's. */\
    static void collect_##NAME(const struct sample *one, T *dest, T *source)                                           \
    {                                                                                                                  \
        int at = 0;                                                                                                    \
        ready_##NAME(one, dest, source);                                                                               \
        for (int i = 0; i < LEN; i++) source[i] = VALUE(T, one->me, 0, i);                                             \
        CHECK(shmem_##NAME##_collect(one->team, dest, source, (one->me * 3 + 1) % LEN) == 0);                          \
        for (int pe = 0; pe < one->n; pe++)                                                                            \
            for (int i = 0; i < (pe * 3 + 1) % LEN; i++, at++)                                                         \
                CHECK_OVER(one, "shmem_" #NAME "_collect", at, dest[at], VALUE(T, pe, 0, i));                          \
        CHECK_OVER(one, "shmem_" #NAME "_collect, guard", at, dest[at], GUARD(T));                                     \
        ready_##NAME(one, dest, source);                                                                               \
        for (int i = 0; i < LEN; i++) source[i] = VALUE(T, one->me, 1, i);                                             \
        CHECK(shmem_##NAME##_fcollect(one->team, dest, source, LEN) == 0);                                             \
        for (int i = 0; i < one->n * LEN; i++)                                                                         \
            CHECK_OVER(one, "shmem_" #NAME "_fcollect", i, dest[i], VALUE(T, i / LEN, 1, i % LEN));                    \
        CHECK_OVER(one, "shmem_" #NAME "_fcollect, guard", one->n * LEN, dest[one->n * LEN], GUARD(T));                \
    }                                                                                                                  \
                                                                                                                       \
    static void alltoall_##NAME(const struct sample *one, T *dest, T *source)                                          \
    {                                                                                                                  \
        ready_##NAME(one, dest, source);                                                                               \
        for (int i = 0; i < one->n * LEN; i++) source[i] = VALUE(T, one->me, i / LEN, i % LEN);                        \
        CHECK(shmem_##NAME##_alltoall(one->team, dest, source, LEN) == 0);                                             \
        for (int i = 0; i < one->n * LEN; i++)                                                                         \
            CHECK_OVER(one, "shmem_" #NAME "_alltoall", i, dest[i], VALUE(T, i / LEN, one->me, i % LEN));              \
        CHECK_OVER(one, "shmem_" #NAME "_alltoall, guard", one->n * LEN, dest[one->n * LEN], GUARD(T));                \
        ready_##NAME(one, dest, source);                                                                               \
        for (int i = 0; i < one->n * LEN; i++) source[i * SST] = VALUE(T, one->me, i / LEN, i % LEN);                  \
        CHECK(shmem_##NAME##_alltoalls(one->team, dest, source, DST, SST, LEN) == 0);                                  \
        for (int i = 0; i < ROOM; i++) {                                                                               \
            int k = i / DST, gap = i % DST != 0 || k >= one->n * LEN;                                                  \
            CHECK_OVER(one, "shmem_" #NAME "_alltoalls", i, dest[i],                                                   \
                       gap ? GUARD(T) : VALUE(T, k / LEN, one->me, k % LEN));                                          \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void all_##NAME(T *memory)                                                                                  \
    {                                                                                                                  \
        EACH_SAMPLE(one, &all) {                                                                                       \
            broadcast_##NAME(one, memory, memory + ROOM);                                                              \
            collect_##NAME(one, memory + ROOM, memory);                                                                \
            alltoall_##NAME(one, memory, memory + ROOM);                                                               \
            CHECK(shmem_team_sync(one->team) == 0);                                                                    \
        }                                                                                                              \
        shmem_barrier_all();                                                                                           \
    }
RMA_TYPES(DEFINE)

#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *heap = need(2 * ROOM * sizeof(T));                                                                          \
        all_##NAME(heap);                                                                                              \
        all_##NAME(static_##NAME);                                                                                     \
        shmem_free(heap);                                                                                              \
    }

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    samples_make(&all);
    RMA_TYPES(RUN)
    samples_destroy(&all);
    end();
    return 0;
}
