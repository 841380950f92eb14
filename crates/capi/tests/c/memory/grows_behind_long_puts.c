// pes: 2 3
// The heap grows while long puts are in progress that were not waited for, and they arrive.
#include "check.h"

enum { BYTES = 12 << 20 };
static char *source;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int right = (me + 1) % npes, left = (me + npes - 1) % npes;
    source = malloc(BYTES);
    CHECK(source != NULL);
    memset(source, me + 1, BYTES);
    char *dest = shmem_calloc(BYTES, 1);
    CHECK(dest != NULL);
    for (int round = 0; round < 4; round++) {
        if (me == round % npes) shmem_putmem_nbi(dest, source, BYTES, right);
        char *more = shmem_malloc((size_t)BYTES << round);
        CHECK(more != NULL);
    }
    shmem_barrier_all();
    for (long i = 0; i < BYTES; i += 997) CHECK_NTH("dest", i, dest[i], left + 1);
    shmem_barrier_all();
    free(source);
    end();
    return 0;
}
