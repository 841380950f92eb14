// pes: 1 2
// env: SHMEM_SYMMETRIC_SIZE=0
// A heap of size zero is legal: malloc returns NULL everywhere, statics communicate.
#include "check.h"

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK(shmem_malloc(1) == NULL);
    CHECK(shmem_calloc(1, 1) == NULL);
    shmem_long_p(&word, me + 1, (me + 1) % npes);
    shmem_barrier_all();
    CHECK_EQ(word, (me + npes - 1) % npes + 1);
    end();
    return 0;
}
