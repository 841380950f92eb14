// pes: 1 2
// flags: -pthread
// A program may register its numbering of threads, before and after init; contexts belong to no thread, so the function is
// never called.
#include "check.h"
#include <pthread.h>
#include <shmemx.h>

static int asked;
static long word;
static shmem_ctx_t ctx;

static uint64_t number(void)
{
    asked++;
    return 7;
}

static void *use(void *unused)
{
    shmem_ctx_long_atomic_inc(ctx, &word, 0);
    shmem_ctx_quiet(ctx);
    return unused;
}

int main(void)
{
    int level, me, npes;
    shmemx_register_gettid(number);
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level), 0);
    me = *check_pe() = shmem_my_pe();
    npes = shmem_n_pes();
    shmemx_register_gettid(number);
    /* Made by one thread, used by another. */
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx), 0);
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, use, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();
    if (me == 0) CHECK_EQ(word, npes);
    CHECK_EQ(asked, 0);
    shmemx_register_gettid(NULL);
    shmem_finalize();
    shmemx_register_gettid(number);
    return 0;
}
