#include <shmem.h>
#include <stdio.h>

static int stop;

int main(void) {
    shmem_init();
    if (shmem_my_pe() == 0) {
        shmem_int_atomic_set(&stop, 1, 1);
    } else {
        volatile unsigned long work = 0;
        while (!shmem_int_test(&stop, SHMEM_CMP_EQ, 1))
            work++;
        printf("PE 1 was told to stop\n");
    }
    shmem_barrier_all();
    int right = shmem_my_pe() == 0 || stop == 1;
    shmem_finalize();
    return right ? 0 : 1;
}
