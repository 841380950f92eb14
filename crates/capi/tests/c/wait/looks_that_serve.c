// pes: 2 3
// Loops of tests make the progress that they wait for: over several signals in turn, and as long as a test succeeds.
#include "check.h"

enum { SIGNALS = 3 };
static uint64_t signals[SIGNALS];
static int over;

static void look_for_signals(void)
{
    int left = SIGNALS, seen[SIGNALS] = {0};
    while (left > 0)
        for (int i = 0; i < SIGNALS; i++)
            if (!seen[i] && shmem_signal_fetch(&signals[i]) != 0) {
                seen[i] = 1;
                left--;
            }
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_barrier_all();
    if (me == 0) {
        look_for_signals();
        while (shmem_int_test(&over, SHMEM_CMP_EQ, 0)) continue;
    } else if (me == 1) {
        for (int i = SIGNALS; i-- > 0;) {
            usleep(20000);
            shmem_signal_set(&signals[i], 1, 0);
        }
        usleep(20000);
        shmem_int_p(&over, 1, 0);
        shmem_quiet();
    }
    shmem_barrier_all();
    CHECK_EQ(over, me == 0);
    end();
    return 0;
}
