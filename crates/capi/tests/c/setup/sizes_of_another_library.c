// pes: 2
// env: XT_SYMMETRIC_HEAP_SIZE=64m
// env: SHMEM_TEAMS_MAX=20
// stderr: XT_SYMMETRIC_HEAP_SIZE=64m is taken as SHMEM_SYMMETRIC_SIZE=64m
// stderr: SHMEM_TEAMS_MAX of other libraries: no effect here
// Variables of another library are translated, or named once.
#include "check.h"
#include <shmemx.h>

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK_EQ(shmemx_heap_size(), 64u << 20);
    end();
    return 0;
}
