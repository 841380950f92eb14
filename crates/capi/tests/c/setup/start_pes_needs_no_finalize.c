// pes: 1 2 4
// start_pes: its argument is ignored, repeated calls do nothing, and leaving main is a collective finalize that completes puts
// and ends with status 0.
#include "check.h"

static long word;

int main(void)
{
    start_pes(0);
    int me = *check_pe() = _my_pe(), npes = _num_pes();
    start_pes(1000);
    start_pes(-1);
    CHECK(shmem_my_pe() == me && shmem_n_pes() == npes);
    long *block = shmalloc(sizeof *block);
    CHECK(block != NULL);
    *block = -1;
    shmem_barrier_all();
    shmem_long_p(block, me, (me + 1) % npes);
    shmem_barrier_all();
    CHECK_EQ(*block, (me + npes - 1) % npes);
    shmem_barrier_all();
    shmem_long_p(&word, 3, (me + 1) % npes);
    if (me == 0) usleep(50000);
    return 0;
}
