// pes: 2 4
// Store-buffering litmus: each PE of a pair puts to the other, quiets, then gets the word that the other puts to. With
// quiet as a full fence at least one of the two sees the new value: both reading the old one must never happen.
#include "check.h"

enum { BATCH = 4096, ROUNDS_MIN = 1000000, MS_MAX = 20000 };
/* Word i of x lives at the lower PE of the pair, word i of y at the upper one. */
static int x[BATCH], y[BATCH], saw[BATCH];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int other = me ^ 1, upper = me & 1, paired = other < npes;
    long start = clock_ms(), rounds = 0;
    static int go;
    for (go = 1; go;) {
        memset(x, 0, sizeof x), memset(y, 0, sizeof y);
        shmem_barrier_all();
        for (int i = 0; paired && i < BATCH; i++) {
            /* lower: y@upper = 1, quiet, read x@lower; upper: x@lower = 1, quiet, read y@upper. */
            shmem_int_p(upper ? &x[i] : &y[i], 1, other);
            shmem_quiet();
            saw[i] = upper ? shmem_int_g(&y[i], me) : shmem_int_g(&x[i], me);
        }
        shmem_barrier_all();
        for (int i = 0; paired && !upper && i < BATCH; i++)
            if (!saw[i] && !shmem_int_g(&saw[i], other))
                FAIL("round %ld: both PE %d and PE %d read the old value after put and quiet", rounds + i, me, other);
        rounds += BATCH;
        if (me == 0) {
            int more = rounds < ROUNDS_MIN && clock_ms() - start < MS_MAX;
            for (int pe = 0; pe < npes; pe++) shmem_int_p(&go, more, pe);
        }
        shmem_barrier_all();
    }
    end();
    return 0;
}
