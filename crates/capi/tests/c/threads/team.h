/* Several threads per PE under SHMEM_THREAD_MULTIPLE, started together and joined. */
#ifndef TEAM_H
#define TEAM_H

#include "check.h"
#include <pthread.h>

/* How many, unless the program says so before. */
#ifndef THREADS
#define THREADS 4
#endif

static inline void begin_threaded(int *me, int *npes)
{
    int level = -1;
    if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level) != 0 || level != SHMEM_THREAD_MULTIPLE)
        FAIL("SHMEM_THREAD_MULTIPLE was asked for, %d provided", level);
    *me = *check_pe() = shmem_my_pe();
    *npes = shmem_n_pes();
}

/* Runs `body(0)` to `body(THREADS - 1)`, each in a thread of its own. */
static inline void run_threads(void *(*body)(void *))
{
    pthread_t thread[THREADS];
    for (long t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, body, (void *)t) != 0) FAIL("thread %ld could not be started", t);
    for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
}

#endif
