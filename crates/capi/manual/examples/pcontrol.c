#include <pshmem.h>
#include <stdio.h>

static int recording = 1, barriers;

void shmem_pcontrol(const int level, ...) {
    recording = level != 0;
}

void shmem_barrier_all(void) {
    barriers += recording;
    pshmem_barrier_all();
}

int main(void) {
    shmem_init();
    shmem_barrier_all();
    shmem_pcontrol(0);
    shmem_barrier_all(); /* not counted */
    shmem_pcontrol(1);
    shmem_barrier_all();
    printf("PE %d counted %d barriers\n", shmem_my_pe(), barriers);
    shmem_finalize();
    return barriers == 2 ? 0 : 1;
}
