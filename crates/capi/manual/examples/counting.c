#include <shmemx.h>
#include <stdio.h>

static int numbers[4];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), mine = 10 * me, right = 1;
    shmemx_ct_t come;
    shmemx_ct_create(&come);
    shmemx_putmem_ct(come, &numbers[me], &mine, sizeof mine, 0);
    if (me == 0) {
        shmemx_ct_wait(come, 4);
        printf("the numbers are %d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3]);
        right = numbers[3] == 30 && shmemx_ct_get(come) == 4;
    }
    shmem_barrier_all();
    shmemx_ct_free(&come);
    shmem_finalize();
    return right ? 0 : 1;
}
