// pes: 2 4
// The same litmus test with remote reads and with plain local loads: put to the peer, quiet, then read the word that the peer
// puts to. Heap and statics, blocking and non-blocking puts, on the default and on a created context.
#include "check.h"

enum { BATCH = 4096, ROUNDS_MIN = 1000000, MS_MAX = 20000, KINDS = 4 };
static long static_word[BATCH], saw[BATCH];
static shmem_ctx_t ctx;

static void put_one(long *word, int kind, int pe)
{
    static const long one = 1;
    if (kind == 0) shmem_long_p(word, 1, pe), shmem_quiet();
    if (kind == 1) shmem_long_put_nbi(word, &one, 1, pe), shmem_quiet();
    if (kind == 2) shmem_ctx_long_p(ctx, word, 1, pe), shmem_ctx_quiet(ctx);
    if (kind == 3) shmem_long_atomic_set(word, 1, pe), shmem_pe_quiet(&pe, 1);
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    long *heap_word = need(BATCH * sizeof *heap_word), start = clock_ms(), rounds = 0;
    int other = me ^ 1, paired = other < npes;
    static int go;
    for (go = 1; go;) {
        long *word = rounds / BATCH % 2 ? heap_word : static_word;
        int kind = (int)(rounds / BATCH / 2 % KINDS);
        memset(word, 0, BATCH * sizeof *word);
        shmem_barrier_all();
        for (int i = 0; paired && i < BATCH; i++) {
            put_one(&word[i], kind, other);
            saw[i] = *(volatile long *)&word[i];
        }
        shmem_barrier_all();
        for (int i = 0; paired && me < other && i < BATCH; i++)
            if (!saw[i] && !shmem_long_g(&saw[i], other))
                FAIL("kind %d, round %ld: neither PE %d nor PE %d saw the other's put after its own quiet", kind, rounds + i, me, other);
        rounds += BATCH;
        all_go_on(&go, rounds < ROUNDS_MIN && clock_ms() - start < MS_MAX, me, npes);
    }
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
