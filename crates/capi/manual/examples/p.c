#include <shmem.h>
#include <stdio.h>

static double place;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), peer = 1 - me;
    shmem_double_p(&place, peer + 0.25, peer);
    shmem_barrier_all();
    double seen = shmem_double_g(&place, peer);
    printf("PE %d reads %.2f at PE %d\n", me, seen, peer);
    shmem_finalize();
    return seen == peer + 0.25 && place == me + 0.25 ? 0 : 1;
}
