// pes: alone
// Started by itself a program is PE 0 of 1, and everything works on its own PE.
#include "check.h"

static long word, lock;
static uint64_t sig;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK(me == 0 && npes == 1);
    long *block = need(sizeof *block);
    *block = 0;
    shmem_long_p(block, 4, 0);
    shmem_quiet();
    CHECK_EQ(shmem_long_atomic_fetch_add(block, 1, 0), 4);
    shmem_long_put_signal(&word, block, 1, &sig, 1, SHMEM_SIGNAL_SET, 0);
    shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 1);
    CHECK_EQ(word, 5);
    shmem_set_lock(&lock), shmem_clear_lock(&lock);
    shmem_barrier_all();
    end();
    return 0;
}
