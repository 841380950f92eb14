// pes: 1 4
// exit: nonzero
// says: shmem_finalize\b
// says: shmemx_req_wait
// A request that was not waited for when the library is finalised.
#include "check.h"
#include <shmemx.h>

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmemx_req_t request;
    shmemx_sync_all_nb(&request);
    end();
    return 0;
}
