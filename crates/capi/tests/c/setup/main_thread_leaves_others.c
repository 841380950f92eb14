// pes: 1 2
// each: SHMEM_TRANSPORT = auto | tcp
// line: all threads have ended
// stderr: PE [01]: the program ended without shmem_finalize
// The main thread ends by pthread_exit, and others continue: the process ends with the last of them, whether or not that thread
// has called the library, and then as if it had called exit(0). The main thread can be joined meanwhile.
#include "check.h"
#include <pthread.h>

static long word;
static pthread_t main_thread;

static void *communicates(void *unused)
{
    int me = shmem_my_pe(), npes = shmem_n_pes();
    CHECK(pthread_join(main_thread, NULL) == 0);
    for (long round = 1; round <= 10; round++) {
        shmem_long_p(&word, round, (me + 1) % npes);
        shmem_barrier_all();
        CHECK_EQ(word, round);
        shmem_barrier_all();
    }
    return unused;
}

static void *never_calls(void *other)
{
    CHECK(pthread_join(*(pthread_t *)other, NULL) == 0);
    if (*check_pe() == 0) puts("all threads have ended");
    return NULL;
}

int main(void)
{
    static pthread_t first, second;
    int level;
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level) == 0);
    *check_pe() = shmem_my_pe();
    main_thread = pthread_self();
    CHECK(pthread_create(&first, NULL, communicates, NULL) == 0);
    CHECK(pthread_create(&second, NULL, never_calls, &first) == 0);
    pthread_exit(NULL);
}
