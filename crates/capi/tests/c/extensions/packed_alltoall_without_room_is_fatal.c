// pes: 1 4
// exit: nonzero
// says: shmemx_alltoallv_packed\b
// says: target_len
// More data are sent to a PE than its target array has room for.
#include "check.h"
#include <shmemx.h>

static char source[64], target[64];
static long psync[SHMEM_ALLTOALL_SYNC_SIZE];
static size_t offsets[8], sizes[8] = {5, 5, 5, 5, 5, 5, 5, 5}, total;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmemx_alltoallv_packed(target, 4, &total, source, offsets, sizes, 0, 0, npes, psync);
    end();
    return 0;
}
