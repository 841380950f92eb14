// pes: 1 2
// env: SHMEM_SYMMETRIC_SIZE=8t
// A maximum heap size has no cost: with one far beyond the machine's memory the job starts, small blocks work, and a block that
// no machine could hold is NULL on all PEs instead of a signal later.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    char *block = need(1 << 20);
    memset(block, 1, 1 << 20);
    CHECK(shmem_malloc((size_t)7 << 40) == NULL);
    shmem_barrier_all();
    char *after = need(1 << 20);
    memset(after, 2, 1 << 20);
    shmem_barrier_all();
    CHECK(block[0] == 1 && block[(1 << 20) - 1] == 1);
    end();
    return 0;
}
