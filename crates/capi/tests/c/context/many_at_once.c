// pes: 1 2 4
// Hundreds of contexts at once, created and destroyed in different orders, not collectively, and thousands one after another:
// each works, and a failed creation is reported by its return value and SHMEM_CTX_INVALID.
#include "check.h"

enum { AT_ONCE = 256, IN_TURN = 5000 };
static long words[AT_ONCE];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_ctx_t ctx[AT_ONCE];
    int to = (me + 1) % npes, from = (me + npes - 1) % npes, count = AT_ONCE - 16 * me; // differs by PE
    for (int i = 0; i < count; i++) {
        if (shmem_ctx_create(i % 4, &ctx[i]) != 0) FAIL("context %d of %d could not be created", i, count);
        for (int k = 0; k < i; k += 37) CHECK(ctx[k] != ctx[i]);
    }
    for (int i = 0; i < count; i++) shmem_ctx_long_put_nbi(ctx[i], &words[i], &(long){1000 + me}, 1, me), shmem_ctx_quiet(ctx[i]);
    for (int i = 0; i < count; i++) CHECK_NTH("word put on context", i, words[i], 1000 + me);
    shmem_barrier_all();
    for (int i = 0; i < count; i++) shmem_ctx_long_atomic_set(ctx[i], &words[i], i + me, to);
    for (int i = 0; i < count; i++) shmem_ctx_destroy(ctx[(i * 11 + me) % count]); // each once: 11 divides no count
    shmem_barrier_all();
    for (int i = 0; i < AT_ONCE - 16 * from; i++) CHECK_NTH("word set on context", i, words[i], i + from);
    shmem_barrier_all();
    for (int i = 0; i < IN_TURN; i++) {
        shmem_ctx_t one;
        CHECK_EQ(shmem_ctx_create(0, &one), 0);
        shmem_ctx_long_atomic_inc(one, &words[0], to);
        shmem_ctx_destroy(one);
    }
    shmem_barrier_all();
    CHECK_EQ(words[0], from + IN_TURN);
    end();
    return 0;
}
