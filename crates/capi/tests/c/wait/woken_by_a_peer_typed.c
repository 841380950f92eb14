// pes: 2 4
// wait_until and test end when a peer's atomic, put or p arrives, in all types, on static and heap words.
#include "types.h"

static int me, npes;

#define WAKE(NAME, T, word, value, STORE)                                                                              \
    {                                                                                                                  \
        *(word) = 1;                                                                                                   \
        shmem_barrier_all();                                                                                           \
        if (me == 0)                                                                                                   \
            for (int pe = 1; pe < npes; pe++) STORE;                                                                   \
        else shmem_##NAME##_wait_until(word, SHMEM_CMP_EQ, value);                                                     \
        if (me != 0) CHECK_EQ(*(word), value);                                                                         \
        shmem_barrier_all();                                                                                           \
    }
#define POLL(NAME, T, word, value, STORE)                                                                              \
    {                                                                                                                  \
        *(word) = 1;                                                                                                   \
        shmem_barrier_all();                                                                                           \
        if (me == 0)                                                                                                   \
            for (int pe = 1; pe < npes; pe++) STORE;                                                                   \
        else                                                                                                           \
            while (!shmem_##NAME##_test(word, SHMEM_CMP_NE, 1)) {}                                                     \
        if (me != 0) CHECK_EQ(*(word), value);                                                                         \
        shmem_barrier_all();                                                                                           \
    }

#define DEFINE(NAME, T)                                                                                                \
    static T static_##NAME;                                                                                            \
    static void wake_##NAME(T *word)                                                                                   \
    {                                                                                                                  \
        const T five = 5;                                                                                              \
        WAKE(NAME, T, word, 5, shmem_##NAME##_atomic_set(word, 5, pe))                                                 \
        WAKE(NAME, T, word, 4, shmem_##NAME##_atomic_add(word, 3, pe))                                                 \
        WAKE(NAME, T, word, 6, shmem_##NAME##_p(word, 6, pe))                                                          \
        WAKE(NAME, T, word, 5, shmem_##NAME##_put(word, &five, 1, pe))                                                 \
        POLL(NAME, T, word, 2, shmem_##NAME##_atomic_inc(word, pe))                                                    \
        POLL(NAME, T, word, 9, shmem_##NAME##_p(word, 9, pe))                                                          \
    }
STANDARD_TYPES(DEFINE)

static short static_short;
static unsigned short static_ushort;

int main(void)
{
    begin(&me, &npes);
#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *heap = need(sizeof(T));                                                                                     \
        wake_##NAME(heap);                                                                                             \
        wake_##NAME(&static_##NAME);                                                                                   \
        shmem_free(heap);                                                                                              \
    }
    STANDARD_TYPES(RUN)
    WAKE(short, short, &static_short, -6, shmem_short_p(&static_short, -6, pe))
    WAKE(ushort, unsigned short, &static_ushort, 65535, shmem_ushort_p(&static_ushort, 65535, pe))
    end();
    return 0;
}
