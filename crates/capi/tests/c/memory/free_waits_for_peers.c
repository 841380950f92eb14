// pes: 2 4
// free synchronises on entry: puts into a block by a slow peer that has not yet called free still arrive in that block, and
// never in the next block in its place.
#include "check.h"

enum { LEN = 4096 };

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int to = (me + 1) % npes;
    for (int round = 0; round < 50; round++) {
        long *block = shmem_calloc(LEN, sizeof *block);
        CHECK(block != NULL);
        if (round % npes == me) usleep(2000); // the slow one
        for (int i = 0; i < LEN; i++) shmem_long_p(&block[i], -1, to);
        shmem_free(block); // completes the default context's puts before anyone's block goes
        long *next = shmem_calloc(LEN, sizeof *next);
        CHECK(next != NULL);
        for (int i = 0; i < LEN; i++) CHECK_NTH("word of a fresh block", i, next[i], 0);
        shmem_free(next);
    }
    end();
    return 0;
}
