// A C++ program that is wrong: a template's instance waits where the others do not.
#include <shmem.h>

static long flag;

template <typename T> __attribute__((noinline)) void wait_for(T *variable, T value) {
    shmem_wait_until(variable, SHMEM_CMP_EQ, value);
}

int main() {
    shmem_init();
    if (shmem_my_pe() == 1) wait_for(&flag, 1L);
    shmem_barrier_all();
    shmem_finalize();
}
