// pes: 2 3
// What blocks waits for its own operation alone: a PE that is stopped, and takes nothing of what was put to it before, holds up
// neither gets nor puts nor atomics at others.
#include "stop.h"

#include <string.h>

// More than connections hold; and more than is copied when it is posted.
enum { LARGE = 16 << 20, LEN = 100000, BLOCKS = 50, STRIDE = 3 };
static int me, npes, other, stopped;
static long words[LEN], got[LEN], counter, is_there;

int main(void)
{
    begin(&me, &npes);
    other = npes - 2, stopped = npes - 1;
    char *large = shmem_malloc(LARGE), *source = malloc(LARGE);
    CHECK(large != NULL && source != NULL);
    memset(source, 7, LARGE);
    for (int i = 0; i < LEN; i++) words[i] = me * 1000000L + i;
    may_be_stopped();
    shmem_barrier_all();
    if (me == 0) {
        pid_t pid = process_of(stopped);
        // The ways are there before it stops.
        shmem_putmem(large, source, LARGE, stopped);
        shmem_long_atomic_inc(&counter, other);
        shmem_quiet();
        stop(pid);
        shmem_putmem_nbi(large, source, LARGE, stopped);
        CHECK_EQ(shmem_long_g(&words[5], other), other * 1000000L + 5);
        shmem_long_get(got, words, LEN, other);
        for (int i = 0; i < LEN; i++) CHECK_NTH("what was fetched", i, got[i], other * 1000000L + i);
        memset(got, 0, sizeof got);
        shmem_long_iget(got, words, 1, STRIDE, BLOCKS, other);
        for (int i = 0; i < BLOCKS; i++) CHECK_NTH("what was fetched apart", i, got[i], other * 1000000L + STRIDE * i);
        CHECK_EQ(shmem_long_atomic_fetch_inc(&counter, other), 1);
        for (int i = 0; i < LEN; i++) got[i] = i;
        if (other != 0) shmem_long_put(words, got, LEN, other);
        // It may be overwritten.
        memset(got, 0, sizeof got);
        CHECK(pid == 0 || is_stopped(pid));
        go_on(pid);
        shmem_quiet();
        shmem_long_atomic_set(&is_there, 1, other);
        shmem_long_atomic_set(&is_there, 1, stopped);
    }
    if (me == other || me == stopped) shmem_long_wait_until(&is_there, SHMEM_CMP_EQ, 1);
    if (me == other && me != 0) {
        CHECK_EQ(counter, 2);
        for (int i = 0; i < LEN; i++) CHECK_NTH("what was put", i, words[i], i);
    }
    for (int i = 0; me == stopped && i < LARGE; i++) CHECK_NTH("what was put to the stopped one", i, large[i], 7);
    free(source);
    shmem_barrier_all();
    shmem_free(large);
    end();
    return 0;
}
