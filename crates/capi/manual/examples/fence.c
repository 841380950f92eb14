#include <shmem.h>
#include <stdio.h>

static int data[4], flag;

int main(void) {
    shmem_init();
    int wrong = 0;
    if (shmem_my_pe() == 0) {
        int numbers[4] = {1, 2, 3, 4};
        shmem_int_put(data, numbers, 4, 1);
        shmem_fence();
        shmem_int_atomic_set(&flag, 1, 1);
    } else {
        shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
        printf("PE 1 saw the flag, and then %d %d %d %d\n", data[0], data[1], data[2], data[3]);
        wrong = data[0] != 1 || data[3] != 4;
    }
    shmem_finalize();
    return wrong;
}
