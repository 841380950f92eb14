// pes: 2 3
// pe_quiet waits for the PEs in its list and for no others: one that is stopped, and takes nothing, does not hold it up.
#include "check.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { LEN = 1000 };
static int me, npes, listed, stopped;
static long dest[LEN], source[LEN];
static int process, is_there;
// Of what `process` is a number.
static unsigned long long numbers;

static unsigned long long whose_numbers(void)
{
    struct stat space;
    unsigned long long boot = 0;
    FILE *id = fopen("/proc/sys/kernel/random/boot_id", "r");
    CHECK(id != NULL && fscanf(id, "%8llx", &boot) == 1);
    fclose(id);
    CHECK(stat("/proc/self/ns/pid", &space) == 0);
    return boot << 32 | (space.st_ino & 0xffffffff);
}

// Stopping is not done when kill returns.
static int is_stopped(pid_t pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *stat = fopen(path, "r");
    CHECK(stat != NULL && fscanf(stat, "%*d %*[^)]) %c", &state) == 1);
    fclose(stat);
    return state == 'T';
}

// To the one that may be stopped first: not even the memory is waited for.
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
    process = (int)getpid(), numbers = whose_numbers();
    shmem_barrier_all();
    if (me == 0) {
        pid_t pid = shmem_int_g(&process, stopped);
        int may_stop = shmem_ulonglong_g(&numbers, stopped) == numbers;
        // The ways are there before it stops.
        put_to_both(1);
        shmem_quiet();
        if (may_stop) {
            CHECK(kill(pid, SIGSTOP) == 0);
            while (!is_stopped(pid)) usleep(1000);
        } else {
            printf("skipped: stopping a PE: it is on another host\n");
        }
        put_to_both(2);
        shmem_pe_quiet(&listed, 1);
        CHECK(!may_stop || is_stopped(pid));
        shmem_int_atomic_set(&is_there, 1, listed);
        CHECK(!may_stop || kill(pid, SIGCONT) == 0);
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
