#include <shmem.h>
#include <stdio.h>

static int ball;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), other = 1 - me;
    for (int turn = 1; turn <= 10; turn++) {
        if (turn % 2 != me)
            shmem_int_wait_until(&ball, SHMEM_CMP_EQ, turn); /* the other's turn */
        else
            shmem_int_p(&ball, turn, other);
    }
    printf("PE %d ends with %d\n", me, ball);
    int right = ball == (me == 0 ? 9 : 10);
    shmem_finalize();
    return right ? 0 : 1;
}
