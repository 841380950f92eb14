// pes: 1 2
// exit: nonzero
// says: shmemx_req_wait\b
// says: not a request
// A completed request that is waited for again by a copy of its handle.
#include "check.h"
#include <shmemx.h>

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmemx_req_t request, copy;
    shmemx_sync_all_nb(&request);
    copy = request;
    shmemx_req_wait(&request);
    shmemx_req_wait(&copy);
    end();
    return 0;
}
