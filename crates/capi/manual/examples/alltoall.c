#include <shmem.h>
#include <stdio.h>

static int outgoing[3], incoming[3];

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    for (int pe = 0; pe < 3; pe++)
        outgoing[pe] = 10 * me + pe;
    int failed = shmem_int_alltoall(SHMEM_TEAM_WORLD, incoming, outgoing, 1);
    printf("PE %d received %d %d %d\n", me, incoming[0], incoming[1], incoming[2]);
    int right = !failed;
    for (int pe = 0; pe < 3; pe++)
        right &= incoming[pe] == 10 * pe + me;
    shmem_finalize();
    return right ? 0 : 1;
}
