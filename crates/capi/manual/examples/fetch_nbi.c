#include <shmem.h>
#include <stdio.h>

static int counter;

int main(void) {
    shmem_init();
    counter = 10 * shmem_my_pe();
    shmem_barrier_all();
    int wrong = 0;
    if (shmem_my_pe() == 0) {
        int before[3];
        for (int pe = 0; pe < 3; pe++)
            shmem_int_atomic_fetch_add_nbi(&before[pe], &counter, 1, pe);
        shmem_quiet();
        printf("the counters were %d %d %d\n", before[0], before[1], before[2]);
        wrong = before[0] != 0 || before[1] != 10 || before[2] != 20;
    }
    shmem_barrier_all();
    wrong |= counter != 10 * shmem_my_pe() + 1;
    shmem_finalize();
    return wrong;
}
