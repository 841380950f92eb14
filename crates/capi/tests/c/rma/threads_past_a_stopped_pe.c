// pes: 3
// A thread that posts operations of any kind to a stopped PE, until no more are accepted, waits alone: the gets, puts and
// atomics of another thread on a third PE proceed, over the same context.
#include "../threads/team.h"
#include "stop.h"

#include <string.h>

enum { MANY = 40000, LEN = 3000, ROUNDS = 200 };
static int me, npes, other, stopped;
static long words[ROUNDS], scratch[ROUNDS], old[MANY], counter, hits, is_there;
static char bytes[LEN], source[LEN];

static void gets(int i) { shmem_long_get_nbi(&old[i], &words[i % ROUNDS], 1, stopped); }
static void small_puts(int i) { (void)i, shmem_putmem_nbi(bytes, source, LEN, stopped); }
static void words_put(int i) { shmem_long_p(&scratch[i % ROUNDS], i, stopped); }
static void atomics(int i) { (void)i, shmem_long_atomic_inc(&hits, stopped); }
static void fetches(int i) { shmem_long_atomic_fetch_inc_nbi(&old[i], &hits, stopped); }
static void (*const kinds[])(int) = {gets, small_puts, words_put, atomics, fetches};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void *post_many(void *kind)
{
    for (int i = 0; i < MANY; i++) (*(void (*const *)(int))kind)(i);
    return NULL;
}

static void work_past_it(int kind)
{
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_EQ(shmem_long_g(&words[i], other), other * 1000L + i);
        shmem_long_p(&scratch[i], i + kind, other);
        CHECK_EQ(shmem_long_atomic_fetch_inc(&counter, other), kind * ROUNDS + i);
        shmem_putmem(bytes, source, LEN, other);
    }
}

int main(void)
{
    begin_threaded(&me, &npes);
    other = npes - 2, stopped = npes - 1;
    for (int i = 0; i < ROUNDS; i++) words[i] = me * 1000L + i;
    memset(source, 7, LEN);
    may_be_stopped();
    shmem_barrier_all();
    if (me == 0) {
        pid_t pid = process_of(stopped);
        // The connections exist before it stops.
        shmem_putmem(bytes, source, LEN, stopped);
        shmem_long_atomic_set(&counter, 0, other);
        shmem_quiet();
        for (int kind = 0; kind < KINDS; kind++) {
            pthread_t poster;
            stop(pid);
            CHECK_EQ(pthread_create(&poster, NULL, post_many, (void *)&kinds[kind]), 0);
            usleep(100000);
            work_past_it(kind);
            go_on(pid);
            CHECK_EQ(pthread_join(poster, NULL), 0);
            shmem_quiet();
            if (kinds[kind] == gets)
                for (int i = 0; i < MANY; i++) CHECK_NTH("what was fetched", i, old[i], stopped * 1000L + i % ROUNDS);
        }
        CHECK_EQ(shmem_long_g(&hits, stopped), 2 * MANY);
        CHECK_EQ(shmem_long_g(&scratch[ROUNDS - 1], stopped), MANY - 1);
        for (int pe = 1; pe < npes; pe++) shmem_long_atomic_set(&is_there, 1, pe);
    } else {
        shmem_long_wait_until(&is_there, SHMEM_CMP_EQ, 1);
        for (int i = 0; i < LEN; i++) CHECK_NTH("what was put", i, bytes[i], 7);
    }
    shmem_barrier_all();
    end();
    return 0;
}
