// pes: 2 3
// pe_quiet waits only for the PEs in its list: a stopped PE, which receives nothing, does not delay it.
#include "stop.h"

enum { LEN = 1000 };
static int me, npes, listed, stopped;
static long dest[LEN], source[LEN];
static int is_there;

// To the PE that may be stopped, first: not even the local memory is waited for.
static void put_to_both(long seed)
{
    for (int i = 0; i < LEN; i++) source[i] = seed * 10000 + i;
    shmem_long_put_nbi(dest, source, LEN, stopped);
    shmem_long_put_nbi(dest, source, LEN, listed);
}

int main(void)
{
    begin(&me, &npes);
    listed = npes - 2, stopped = npes - 1;
    may_be_stopped();
    shmem_barrier_all();
    if (me == 0) {
        pid_t pid = process_of(stopped);
        // The connections exist before it stops.
        put_to_both(1);
        shmem_quiet();
        stop(pid);
        put_to_both(2);
        shmem_pe_quiet(&listed, 1);
        CHECK(pid == 0 || is_stopped(pid));
        shmem_int_atomic_set(&is_there, 1, listed);
        go_on(pid);
        int both[] = {stopped, listed};
        shmem_pe_quiet(both, 2);
        shmem_int_atomic_set(&is_there, 1, stopped);
    }
    if (me == listed || me == stopped) {
        shmem_int_wait_until(&is_there, SHMEM_CMP_EQ, 1);
        for (int i = 0; i < LEN; i++) CHECK_NTH("what was put", i, dest[i], 2 * 10000 + i);
    }
    end();
    return 0;
}
