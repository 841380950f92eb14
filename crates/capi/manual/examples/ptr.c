#include <shmem.h>
#include <stdio.h>

static int squares[4];

int main(void) {
    shmem_init();
    if (shmem_my_pe() == 0) {
        int *theirs = shmem_ptr(squares, 1);
        for (int i = 0; i < 4; i++) {
            if (theirs != NULL)
                theirs[i] = i * i;
            else
                shmem_int_p(&squares[i], i * i, 1);
        }
    }
    shmem_barrier_all();
    int wrong = 0;
    if (shmem_my_pe() == 1) {
        printf("PE 1 has %d %d %d %d\n", squares[0], squares[1], squares[2], squares[3]);
        wrong = squares[2] != 4 || squares[3] != 9;
    }
    shmem_finalize();
    return wrong;
}
