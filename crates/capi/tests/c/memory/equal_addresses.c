// pes: 2 4 7
// The heap has the same address on all PEs, so a symmetric address may be sent to a peer and used there, in calls and for
// direct access.
#include "check.h"

static long *sent, *address_of_another;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    long *block = need(1000 * sizeof *block);
    block[me] = 100 + me;
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    sent = block + me;
    shmem_putmem(&address_of_another, &sent, sizeof sent, to);
    shmem_barrier_all();
    CHECK(address_of_another == block + from);
    // The address names our copy here, and the copy of another PE there.
    CHECK_EQ(shmem_long_g(address_of_another, from), 100 + from);
    shmem_long_p(address_of_another, -1, from);
    shmem_barrier_all();
    CHECK_EQ(block[me], -1);
    CHECK_EQ(block[from], from == me ? -1 : 0);
    end();
    // The heap of the next world is at the same address.
    begin(&me, &npes);
    CHECK(need(1000 * sizeof *block) == (void *)block);
    end();
    return 0;
}
