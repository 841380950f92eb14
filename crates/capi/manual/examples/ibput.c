#include <shmem.h>
#include <stdio.h>

static int corner[4][4];

int main(void) {
    shmem_init();
    if (shmem_my_pe() == 0) {
        int matrix[4][4];
        for (int i = 0; i < 16; i++)
            matrix[i / 4][i % 4] = i;
        shmem_int_ibput(&corner[0][0], &matrix[1][1], 4, 4, 2, 2, 1);
    }
    shmem_barrier_all();
    int right = 1;
    if (shmem_my_pe() == 1) {
        for (int i = 0; i < 4; i++)
            printf("%d %d %d %d\n", corner[i][0], corner[i][1], corner[i][2], corner[i][3]);
        right = corner[0][0] == 5 && corner[1][1] == 10 && corner[2][2] == 0;
    }
    shmem_finalize();
    return right ? 0 : 1;
}
