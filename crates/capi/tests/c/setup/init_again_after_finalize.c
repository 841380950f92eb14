// pes: 1 2 4 7
// After the last finalize the library can be initialised again and again: with the same PE numbers, a new heap, symmetric
// statics, and new contexts, locks and barriers; in between, the process continues by itself.
#include "check.h"

enum { TIMES = 12 };
static long word, lock;

int main(void)
{
    int me = -1, npes = -1;
    for (int time = 0; time < TIMES; time++) {
        int was = me, level = -1;
        if (time % 2) begin(&me, &npes);
        else {
            CHECK(shmem_init_thread(time % 4 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &level) == 0);
            me = *check_pe() = shmem_my_pe(), npes = shmem_n_pes();
        }
        if (was >= 0) CHECK_EQ(me, was);
        int to = (me + 1) % npes, from = (me + npes - 1) % npes;
        long *block = shmem_calloc(1000, sizeof *block);
        shmem_ctx_t ctx;
        CHECK(block != NULL);
        CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
        shmem_ctx_long_p(ctx, &block[999], time * 10 + me, to);
        shmem_ctx_quiet(ctx);
        shmem_long_p(&word, time * 100 + me, to);
        shmem_set_lock(&lock), shmem_clear_lock(&lock);
        shmem_barrier_all();
        CHECK_EQ(block[999], time * 10 + from);
        CHECK_EQ(word, time * 100 + from);
        if (time % 3) shmem_ctx_destroy(ctx);
        if (time % 2) shmem_free(block);
        end();
        CHECK_EQ(word, time * 100 + from); // own memory is still there
        word = -1;
    }
    return 0;
}
