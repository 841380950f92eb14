// pes: 2
// exit: nonzero
// says: \bPE [01]\b
// says: shmem_long_sum_to_all\b
// says: nreduce is -1\b
// A negative number of elements.
#include "check.h"

static long cells[4];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    (void)cells;
    static long words[SHMEM_REDUCE_SYNC_SIZE];
    shmem_long_sum_to_all(&cells[0], &cells[1], -1, 0, 0, npes, &cells[2], words);
    end();
    return 0;
}
