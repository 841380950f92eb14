// pes: 2 4
// Store-buffering litmus at one PE: each PE of a pair puts to the lower of the two, fences, then fetches the word there that the
// other puts to. What is at the same PE is in order, a put before a fetch too: both seeing the old value must never happen.
#include "check.h"

enum { BATCH = 4096, ROUNDS_MIN = 400000, MS_MAX = 1500 };
/* At the lower PE of the pair: word i of x is put to by the upper one, word i of y by the lower one itself. */
static int x[BATCH], y[BATCH];
static int saw[BATCH];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int other = me ^ 1, upper = me & 1, paired = other < npes, lower = me & ~1;
    long start = clock_ms(), rounds = 0;
    static int go;
    for (go = 1; go;) {
        memset(x, 0, sizeof x), memset(y, 0, sizeof y);
        shmem_barrier_all();
        for (int i = 0; paired && i < BATCH; i++) {
            shmem_int_p(upper ? &x[i] : &y[i], 1, lower);
            shmem_fence();
            saw[i] = shmem_int_atomic_fetch(upper ? &y[i] : &x[i], lower);
        }
        shmem_barrier_all();
        for (int i = 0; paired && !upper && i < BATCH; i++)
            if (!saw[i] && !shmem_int_g(&saw[i], other))
                FAIL("round %ld: both PE %d and PE %d fetched the old value after put and fence", rounds + i, me, other);
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
