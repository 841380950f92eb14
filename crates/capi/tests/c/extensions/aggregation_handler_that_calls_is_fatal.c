// pes: 2
// exit: nonzero
// says: shmemx_agg_flush: .*a handler may not call the library
// each: SHMEM_TRANSPORT = auto | tcp
// A handler that calls the library would wait for itself.
#include "check.h"
#include <shmemx.h>

static shmemx_agg_t agg;

static void call(void *context, const void *items, size_t nitems, int source_pe)
{
    (void)context, (void)items, (void)nitems, (void)source_pe;
    shmemx_agg_flush(agg);
}

int main(void)
{
    shmem_init();
    CHECK(shmemx_agg_create(1, call, NULL, 0, &agg) == 0);
    shmemx_agg_send(agg, "x", 1 - shmem_my_pe());
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
