// pes: 1 2
// exit: 9
// Any thread may call global_exit; exit handlers of the calling PE run.
// stdout: handler ran
#include "check.h"
#include <pthread.h>

static void handler(void)
{
    printf("handler ran\n");
}

static void *leave(void *unused)
{
    (void)unused;
    shmem_global_exit(9);
    return NULL;
}

int main(void)
{
    int me, npes, level;
    pthread_t thread;
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level) == 0);
    me = *check_pe() = shmem_my_pe(), npes = shmem_n_pes();
    atexit(handler);
    shmem_barrier_all();
    if (me == npes - 1) CHECK(pthread_create(&thread, NULL, leave, NULL) == 0);
    for (;;) pause();
}
