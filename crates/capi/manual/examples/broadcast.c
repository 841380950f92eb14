#include <shmem.h>
#include <stdio.h>

static int told[3], heard[3];

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    if (me == 1)
        for (int i = 0; i < 3; i++)
            told[i] = 7 + i;
    int failed = shmem_int_broadcast(SHMEM_TEAM_WORLD, heard, told, 3, 1);
    printf("PE %d has %d %d %d\n", me, heard[0], heard[1], heard[2]);
    int right = !failed && heard[0] == 7 && heard[2] == 9;
    shmem_finalize();
    return right ? 0 : 1;
}
