// pes: 1 2 4
// Three inits need three finalizes; the inner ones are barriers and keep everything alive; query_initialized is correct before,
// during and after, from any thread; the thread level of a nested init cannot rise.
#include "check.h"
#include <pthread.h>

static long word;

static int initialized(void)
{
    int answer = -1;
    shmem_query_initialized(&answer);
    return answer != 0;
}

static void *ask(void *unused)
{
    return initialized() ? unused : NULL;
}

static int initialized_says_another_thread(void)
{
    pthread_t thread;
    void *answer;
    int mark;
    CHECK(pthread_create(&thread, NULL, ask, &mark) == 0);
    CHECK(pthread_join(thread, &answer) == 0);
    return answer == &mark;
}

int main(void)
{
    int me, npes, level = -1, nested = -1, again = -1;
    CHECK(!initialized());
    CHECK(shmem_init_thread(SHMEM_THREAD_FUNNELED, &level) == 0);
    CHECK(initialized() && initialized_says_another_thread());
    me = *check_pe() = shmem_my_pe(), npes = shmem_n_pes();
    long *block = need(sizeof *block);
    *block = me;
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &nested) == 0);
    shmem_init();
    shmem_query_thread(&again);
    CHECK(level >= SHMEM_THREAD_SINGLE && level <= SHMEM_THREAD_MULTIPLE);
    CHECK(again == nested && shmem_my_pe() == me && shmem_n_pes() == npes);
    for (int left = 2; left > 0; left--) {
        shmem_long_p(&word, left * 10 + me, (me + 1) % npes);
        shmem_finalize();
        CHECK_EQ(word, left * 10 + (me + npes - 1) % npes); // an inner finalize is a barrier_all
        CHECK(initialized());
        CHECK_EQ(shmem_long_g(block, (me + 1) % npes), (me + 1) % npes);
        shmem_barrier_all();
    }
    shmem_finalize();
    CHECK(!initialized() && !initialized_says_another_thread());
    return 0;
}
