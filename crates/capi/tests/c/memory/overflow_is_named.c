// pes: 1 2
// stderr: PE 0: shmem_calloc gives NULL on all PEs: no object has so many bytes
// Who multiplies sizes that overflow is told so, rather than sent to look for memory.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK(shmem_calloc(SIZE_MAX / 2, 3) == NULL);
    end();
    return 0;
}
