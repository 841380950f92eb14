#include <shmemx.h>
#include <stdio.h>

static short words[3] = {1, 0, 3};

int main(void) {
    shmem_init();
    for (int i = 0; i < 10; i++)
        shmemx_short_add(&words[1], 1, 0);
    shmem_barrier_all();
    int wrong = 0;
    if (shmem_my_pe() == 0) {
        printf("PE 0 has %d %d %d\n", words[0], words[1], words[2]);
        wrong = words[0] != 1 || words[1] != 40 || words[2] != 3;
    }
    shmem_finalize();
    return wrong;
}
