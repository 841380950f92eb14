// pes: 1 2
// exit: 5
// stdout: said before
// A thread that is inside a read of a stream, perhaps for ever, does not keep the job alive.
#include "check.h"
#include <pthread.h>
#include <unistd.h>

static void *reads_for_ever(void *file)
{
    (void)fgetc(file);
    return NULL;
}

int main(void)
{
    int me, npes, ends[2];
    pthread_t thread;
    begin(&me, &npes);
    CHECK(pipe(ends) == 0);
    FILE *never = fdopen(ends[0], "r");
    CHECK(never != NULL && pthread_create(&thread, NULL, reads_for_ever, never) == 0);
    usleep(100000);
    printf("said before\n");
    shmem_barrier_all();
    if (me == npes - 1) shmem_global_exit(5);
    for (;;) pause();
}
