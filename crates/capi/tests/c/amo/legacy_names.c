// pes: 1 2 4
// The atomics under their names of before 1.4 do the same work.
#include "types.h"

static int me, npes;

#define THREE_TYPES(X) X(int, int) X(long, long) X(longlong, long long)
#define FIVE_TYPES(X) THREE_TYPES(X) X(float, float) X(double, double)

#define ARITHMETIC(NAME, T)                                                                                            \
    {                                                                                                                  \
        static T word = 10;                                                                                            \
        int pe = (me + 1) % npes;                                                                                      \
        CHECK_EQ(shmem_##NAME##_fadd(&word, 5, pe), 10);                                                               \
        CHECK_EQ(shmem_##NAME##_finc(&word, pe), 15);                                                                  \
        shmem_##NAME##_inc(&word, pe);                                                                                 \
        shmem_##NAME##_add(&word, -7, pe);                                                                             \
        CHECK_EQ(shmem_##NAME##_cswap(&word, 10, 33, pe), 10);                                                         \
        CHECK_EQ(shmem_##NAME##_cswap(&word, 10, 34, pe), 33);                                                         \
        shmem_barrier_all();                                                                                           \
        CHECK_EQ(word, 33);                                                                                            \
    }
#define MOVES(NAME, T)                                                                                                 \
    {                                                                                                                  \
        static T word = 10;                                                                                            \
        int pe = (me + 1) % npes;                                                                                      \
        CHECK_EQ(shmem_##NAME##_swap(&word, 21, pe), 10);                                                              \
        CHECK_EQ(shmem_##NAME##_fetch(&word, pe), 21);                                                                 \
        shmem_##NAME##_set(&word, 22, pe);                                                                             \
        shmem_barrier_all();                                                                                           \
        CHECK_EQ(word, 22);                                                                                            \
    }

int main(void)
{
    begin(&me, &npes);
    THREE_TYPES(ARITHMETIC)
    FIVE_TYPES(MOVES)
    end();
    return 0;
}
