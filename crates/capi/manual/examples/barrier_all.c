#include <shmem.h>
#include <stdio.h>

static int known[4];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), wrong = 0;
    for (int pe = 0; pe < npes; pe++)
        shmem_int_p(&known[me], me, pe);
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++)
        wrong |= known[pe] != pe;
    if (me == 0 || me == npes - 1)
        printf("PE %d knows %d %d %d %d\n", me, known[0], known[1], known[2], known[3]);
    shmem_finalize();
    return wrong;
}
