// pes: 1 2
// each: SHMEM_CHECK = 0 | 1
// stderr: PE [01]: the program ended without shmem_finalize
// The main thread ends by pthread_exit, and is the program's only one: the process ends as if the thread had called exit(0), although the
// thread's local data are gone.
#include "check.h"
#include <pthread.h>

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_barrier_all();
    const char *transport = getenv("SHMEM_TRANSPORT");
    if (transport && strcmp(transport, "ucx") == 0) {
        printf("skipped: the end of the main thread: a thread of UCX keeps the process\n");
        return 0;
    }
    pthread_exit(NULL);
}
