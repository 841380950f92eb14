#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();

    /* A slot for each PE, at each PE. */
    int *slots = shmem_calloc(npes, sizeof *slots);
    if (slots == NULL) {
        fprintf(stderr, "no memory, on any PE\n");
        shmem_global_exit(1);
    }
    for (int pe = 0; pe < npes; pe++)
        shmem_int_p(&slots[me], me, pe);
    shmem_barrier_all();

    int sum = 0;
    for (int pe = 0; pe < npes; pe++)
        sum += slots[pe];
    if (me == 0)
        printf("the sum of all numbers is %d\n", sum);
    shmem_free(slots);
    shmem_finalize();
    return sum == npes * (npes - 1) / 2 ? 0 : 1;
}
