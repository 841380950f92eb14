// pes: 2
// signal_wait_until returns the very value that satisfied it, even though the signal changes all the time; the comparison is
// unsigned.
#include "check.h"

enum { ROUNDS = 20000 };
static uint64_t sig, stop;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int near = shmem_ptr(&sig, 1 - me) != NULL;
    if (me == 0) {
        for (uint64_t i = 1; shmem_signal_fetch(&stop) == 0; i++) {
            shmem_signal_set(&sig, i % 2 ? 6 : 9, 1);
            // A transport may deliver many updates at once, so a waiter need not see a value that exists only for a moment.
            if (!near) shmem_quiet();
        }
    } else {
        for (int i = 0; i < (near ? ROUNDS : ROUNDS / 4); i++) {
            CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 6), 6);
            CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_GT, 6), 9);
        }
        shmem_signal_set(&stop, 1, 0);
    }
    shmem_barrier_all();
    sig = UINT64_MAX;
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_GT, 1) == UINT64_MAX);
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_GE, UINT64_MAX) == UINT64_MAX);
    sig = 3;
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_LT, UINT64_MAX) == 3);
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_LE, 3) == 3);
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_NE, 4) == 3);
    shmem_barrier_all();
    end();
    return 0;
}
