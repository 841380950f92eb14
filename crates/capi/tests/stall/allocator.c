// PE 1 dies in its own allocator, whose lock it holds. The child that is to report the crash waits for this lock for ever.
#include <pthread.h>
#include <shmem.h>

extern void *__libc_malloc(size_t);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_locked;

void *malloc(size_t size) {
    if (is_locked) pthread_mutex_lock(&lock);
    return __libc_malloc(size);
}

int main(void) {
    shmem_init();
    if (shmem_my_pe() == 1) {
        pthread_mutex_lock(&lock);
        is_locked = 1;
        *(volatile int *)8 = 1;
    }
    shmem_barrier_all();
    shmem_finalize();
}
