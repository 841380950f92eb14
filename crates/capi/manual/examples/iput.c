#include <shmem.h>
#include <stdio.h>

static int matrix[3][4];

int main(void) {
    shmem_init();
    if (shmem_my_pe() == 0) {
        int row[3] = {7, 8, 9};
        shmem_int_iput(&matrix[0][2], row, 4, 1, 3, 1);
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 1)
        for (int i = 0; i < 3; i++)
            printf("%d %d %d %d\n", matrix[i][0], matrix[i][1], matrix[i][2], matrix[i][3]);

    /* Get back the column that PE 1 has now. */
    int column[3];
    shmem_int_iget(column, &matrix[0][2], 1, 4, 3, 1);
    shmem_finalize();
    return column[0] == 7 && column[1] == 8 && column[2] == 9 ? 0 : 1;
}
