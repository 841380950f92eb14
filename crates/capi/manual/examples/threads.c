#include <pthread.h>
#include <shmem.h>
#include <stdio.h>

enum { THREADS = 4, EACH = 1000 };

static long counter;

static void *add(void *neighbour) {
    for (int i = 0; i < EACH; i++)
        shmem_long_atomic_inc(&counter, *(int *)neighbour);
    return NULL;
}

int main(void) {
    int provided;
    if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0 || provided < SHMEM_THREAD_MULTIPLE) {
        fprintf(stderr, "this program needs SHMEM_THREAD_MULTIPLE\n");
        return 1;
    }
    int neighbour = (shmem_my_pe() + 1) % shmem_n_pes();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, add, &neighbour);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    shmem_barrier_all();

    int wrong = counter != THREADS * EACH;
    if (shmem_my_pe() == 0 && !wrong)
        printf("%ld were added at each of %d PEs\n", counter, shmem_n_pes());
    shmem_finalize();
    return wrong;
}
