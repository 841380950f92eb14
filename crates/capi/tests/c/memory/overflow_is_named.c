// pes: 1 2
// stderr: returns NULL on all PEs: no object can be this large
// A product of sizes that overflows is reported as such, not as a lack of memory.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK(shmem_calloc(SIZE_MAX / 2, 3) == NULL);
    end();
    return 0;
}
