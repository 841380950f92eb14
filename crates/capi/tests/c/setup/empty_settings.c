// pes: 1 2
// env: SHMEM_SYMMETRIC_SIZE=
// env: SHMEM_TRANSPORT=
// env: SHMEM_BACKTRACE=
// env: SHMEM_CHECK=
// env: SHMEM_DEBUG=
// env: FERRITE_WAIT=
// Variables without a value count as not set.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK(shmem_malloc(4096) != NULL);
    end();
    return 0;
}
