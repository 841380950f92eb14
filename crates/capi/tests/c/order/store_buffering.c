// pes: 2 4
// each: SHMEM_RECORD = some | all
// Store-buffering litmus: each PE of a pair puts to a word, orders, and reads the word that the other puts to. At least one of
// the two sees the new value; both must never read the old one. Quiet orders a put before any get, as a full fence does; fence
// orders operations to the same PE, including a put before a fetch. Where all calls are recorded, they take the longer path.
#include "check.h"

enum { BATCH = 4096 };
/* Word i of x is at the lower PE of the pair; word i of y is at the upper one, or also at the lower one. */
static int x[BATCH], y[BATCH], saw[BATCH], go;

/* Lower: y@upper = 1, quiet, read x@lower; upper: x@lower = 1, quiet, read y@upper. */
static int quiet_then_get(int i, int me)
{
    int upper = me & 1;
    shmem_int_p(upper ? &x[i] : &y[i], 1, me ^ 1);
    shmem_quiet();
    return shmem_int_g(upper ? &y[i] : &x[i], me);
}

/* Lower: y = 1, fence, fetch x; upper: x = 1, fence, fetch y; all words at the lower one. */
static int fence_then_fetch(int i, int me)
{
    int upper = me & 1, lower = me & ~1;
    shmem_int_p(upper ? &x[i] : &y[i], 1, lower);
    shmem_fence();
    return shmem_int_atomic_fetch(upper ? &y[i] : &x[i], lower);
}

static void litmus(const char *name, int (*turn)(int, int), long rounds_min, long ms_max, int me, int npes)
{
    int other = me ^ 1, upper = me & 1, paired = other < npes;
    long start = clock_ms(), rounds = 0;
    for (go = 1; go;) {
        memset(x, 0, sizeof x), memset(y, 0, sizeof y);
        shmem_barrier_all();
        for (int i = 0; paired && i < BATCH; i++) saw[i] = turn(i, me);
        shmem_barrier_all();
        for (int i = 0; paired && !upper && i < BATCH; i++)
            if (!saw[i] && !shmem_int_g(&saw[i], other))
                FAIL("%s, round %ld: both PE %d and PE %d read the old value", name, rounds + i, me, other);
        rounds += BATCH;
        all_go_on(&go, rounds < rounds_min && clock_ms() - start < ms_max, me, npes);
    }
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    litmus("quiet then get", quiet_then_get, 1000000, 20000, me, npes);
    litmus("fence then fetch", fence_then_fetch, 400000, 1500, me, npes);
    end();
    return 0;
}
