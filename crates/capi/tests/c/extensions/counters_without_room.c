// pes: 1 2
// env: SHMEM_SYMMETRIC_SIZE=4m
// A counter of puts is NULL on all PEs if the heap is full, or if the maximum number of counters exists.
#include "check.h"
#include <shmemx.h>

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    static shmemx_ct_t many[1 << 11];
    int made = 0;
    do shmemx_ct_create(&many[made]);
    while (many[made] != NULL && ++made < (1 << 11));
    CHECK(made >= 512 && made < (1 << 11));
    shmemx_ct_free(&many[made]); /* nothing */
    for (int i = 0; i < made; i++) shmemx_ct_free(&many[i]);

    for (size_t size = 4 << 20; size >= 16; size /= 2)
        while (shmem_malloc(size) != NULL) {}
    shmemx_ct_t none = (shmemx_ct_t)&none;
    shmemx_ct_create(&none);
    CHECK(none == NULL);
    shmemx_ct_free(&none);
    end();
    return 0;
}
