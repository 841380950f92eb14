#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    printf("PE %d of %d\n", me, npes);
    shmem_finalize();
    return 0 <= me && me < npes ? 0 : 1;
}
