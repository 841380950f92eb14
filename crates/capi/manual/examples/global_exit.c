#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    shmem_barrier_all();
    if (shmem_my_pe() == 1) {
        printf("PE 1 stops the job\n");
        shmem_global_exit(3);
    }
    shmem_barrier_all(); /* PE 1 never comes */
    printf("this is never printed\n");
    shmem_finalize();
    return 1;
}
