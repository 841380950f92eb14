// pes: 2 4
// The deprecated waits: shmem_wait and its typed forms wait while the word equals the value; plain shmem_wait_until is long.
#include "check.h"

static int me, npes;

#define WAIT(NAME, T)                                                                                                  \
    {                                                                                                                  \
        static T word = 3;                                                                                             \
        if (me == 0)                                                                                                   \
            for (int pe = 1; pe < npes; pe++) shmem_##NAME##_p(&word, 8, pe);                                          \
        else shmem_##NAME##_wait(&word, 3);                                                                            \
        if (me != 0) CHECK_EQ(word, 8);                                                                                \
        shmem_barrier_all();                                                                                           \
    }

int main(void)
{
    begin(&me, &npes);
    WAIT(short, short)
    WAIT(int, int)
    WAIT(long, long)
    WAIT(longlong, long long)
    static long word;
    if (me == 0)
        for (int pe = 1; pe < npes; pe++) shmem_long_p(&word, -1, pe);
    else shmem_wait(&word, 0);
    if (me != 0) CHECK_EQ(word, -1);
    shmem_barrier_all();
    word = -5;
    (shmem_wait_until)(&word, SHMEM_CMP_LT, 0);
    shmem_barrier_all();
    end();
    return 0;
}
