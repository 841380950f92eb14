// pes: 1 2 4
// Threads that initialise the library at the same time count as that number of inits, and one of them executes it.
#include "check.h"
#include <pthread.h>

static void *initialises(void *unused)
{
    int level;
    (void)unused;
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level) == 0);
    CHECK(level == SHMEM_THREAD_MULTIPLE);
    return NULL;
}

int main(void)
{
    for (int round = 0; round < 20; round++) {
        pthread_t threads[4];
        int is;
        for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, initialises, NULL) == 0);
        for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
        *check_pe() = shmem_my_pe();
        for (int i = 0; i < 4; i++) {
            shmem_query_initialized(&is);
            CHECK(is == 1);
            shmem_finalize();
        }
        shmem_query_initialized(&is);
        CHECK(is == 0);
    }
    return 0;
}
