// pes: 2 3
// A blocking routine waits for its own operation only. A stopped PE, which receives nothing that was put to it before, delays
// neither gets, puts and atomics on other PEs, nor operations after them behind a fence, nor a collective of other PEs. It
// needs three PEs: with two, the only other PE is PE 0 itself.
#include "stop.h"

#include <string.h>

// More than connections hold; more than is copied when it is posted; and more than a lane keeps records of.
enum { LARGE = 16 << 20, LEN = 100000, BLOCKS = 50, STRIDE = 3, MANY = 10000 };
static int me, npes, other, stopped;
static long words[LEN], got[LEN], sent[LEN], scratch[MANY], counter, is_there;

static long held_by(int pe, int i) { return pe * 1000000L + i; }

static void work_past_it(shmem_team_t others, char *large, char *back)
{
    for (int i = 0; i < MANY; i++) CHECK_EQ(shmem_long_g(&words[i], other), held_by(other, i));
    shmem_long_get(got, words, LEN, other);
    for (int i = 0; i < LEN; i++) CHECK_NTH("what was fetched", i, got[i], held_by(other, i));
    memset(got, 0, sizeof got);
    shmem_long_iget(got, words, 1, STRIDE, BLOCKS, other);
    for (int i = 0; i < BLOCKS; i++) CHECK_NTH("what was fetched apart", i, got[i], held_by(other, STRIDE * i));
    // More than one call of a provider takes.
    shmem_getmem(back, large, LARGE, other);
    for (int i = 0; i < LARGE; i++) CHECK_NTH("what was fetched in pieces", i, back[i], 9);
    memset(back, 8, LARGE);
    shmem_putmem(large, back, LARGE, other);
    memset(back, 0, LARGE);
    CHECK_EQ(shmem_long_atomic_fetch_inc(&counter, other), 1);
    for (int i = 0; i < MANY; i++) shmem_long_p(&scratch[i], i, other);
    shmem_fence();
    CHECK_EQ(shmem_long_g(&scratch[MANY - 1], other), MANY - 1);
    CHECK_EQ(shmem_long_atomic_fetch_inc(&counter, other), 2);
    for (int i = 0; i < LEN; i++) got[i] = i;
    if (other != 0) shmem_long_put(words, got, LEN, other);
    shmem_fence();
    // It may be overwritten.
    memset(got, 0, sizeof got);
    shmem_long_p(&scratch[0], 5, other);
    CHECK_EQ(shmem_long_broadcast(others, got, sent, LEN, 0), 0);
}

int main(void)
{
    begin(&me, &npes);
    other = npes - 2, stopped = npes - 1;
    char *large = shmem_malloc(LARGE), *source = malloc(LARGE), *back = malloc(LARGE);
    CHECK(large != NULL && source != NULL && back != NULL);
    memset(large, 9, LARGE);
    memset(source, 7, LARGE);
    for (int i = 0; i < LEN; i++) {
        words[i] = held_by(me, i);
        sent[i] = 3 * i;
    }
    shmem_team_t others;
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes - 1, NULL, 0, &others), 0);
    may_be_stopped();
    shmem_barrier_all();
    if (me == 0) {
        pid_t pid = process_of(stopped);
        // The connections exist before it stops.
        shmem_putmem(large, source, LARGE, stopped);
        shmem_long_atomic_inc(&counter, other);
        shmem_quiet();
        stop(pid);
        shmem_putmem_nbi(large, source, LARGE, stopped);
        work_past_it(others, large, back);
        go_on(pid);
        shmem_quiet();
        shmem_long_atomic_set(&is_there, 1, other);
        shmem_long_atomic_set(&is_there, 1, stopped);
    } else if (me == other) {
        CHECK_EQ(shmem_long_broadcast(others, got, sent, LEN, 0), 0);
        for (int i = 0; i < LEN; i++) CHECK_NTH("what was broadcast", i, got[i], 3 * i);
    }
    if (me == other || me == stopped) shmem_long_wait_until(&is_there, SHMEM_CMP_EQ, 1);
    if (me == other && me != 0) {
        CHECK_EQ(counter, 3);
        for (int i = 0; i < LEN; i++) CHECK_NTH("what was put", i, words[i], i);
        for (int i = 1; i < MANY; i++) CHECK_NTH("what was put one by one", i, scratch[i], i);
        CHECK_EQ(scratch[0], 5);
    }
    int want = me == stopped ? 7 : me == other ? 8 : 9;
    for (int i = 0; i < LARGE; i++) CHECK_NTH("what was put in pieces", i, large[i], want);
    free(source);
    free(back);
    shmem_barrier_all();
    shmem_team_destroy(others);
    shmem_free(large);
    end();
    return 0;
}
