// pes: 2
// each: SHMEM_TRANSPORT = auto | tcp
// PEs that have communicated, and now sleep outside the library, use no CPU time: their service threads sleep too.
#include "check.h"

enum { WORDS = 1000 };
static long data[WORDS], words[WORDS];

static double cpu_s(void)
{
    struct timespec used;
    CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0);
    return used.tv_sec + used.tv_nsec * 1e-9;
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int peer = (me + 1) % npes;
    for (int i = 0; i < 100; i++) {
        shmem_long_put(data, words, WORDS, peer);
        shmem_quiet();
        shmem_long_atomic_inc(&data[i], peer);
    }
    shmem_barrier_all();
    double before = cpu_s();
    for (unsigned left = 2; left != 0;) left = sleep(left);
    double used = cpu_s() - before;
    /* A PE that polls continuously uses two seconds; one that naps between polls, or is emulated, some tenths. */
    if (used > 1) FAIL("%.2f s of a processor were used in 2 s of sleep", used);
    shmem_barrier_all();
    end();
    return 0;
}
