#include <shmemx.h>
#include <stdio.h>

static double number;
static long count;

int main(void) {
    shmem_init();
    int wrong = 0;
    if (shmem_my_pe() == 0) {
        double source = 3.5;
        long before = -1;
        shmemx_double_put_nb(&number, &source, 1, 1);
        shmemx_long_fadd_nb(&before, &count, 5, 1, NULL);
        shmem_quiet();
        wrong = before != 0;
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 1) {
        printf("PE 1 has %.1f and counted %ld\n", number, count);
        wrong = number != 3.5 || count != 5;
    }
    shmem_finalize();
    return wrong;
}
