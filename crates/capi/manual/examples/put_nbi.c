#include <shmem.h>
#include <stdio.h>

static int square;
static int all[4];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), wrong = 0;
    square = me * me;
    shmem_barrier_all();
    if (me == 0) {
        for (int pe = 0; pe < npes; pe++)
            shmem_int_get_nbi(&all[pe], &square, 1, pe);
        shmem_quiet(); /* they may be read only from here on */
        printf("%d %d %d %d\n", all[0], all[1], all[2], all[3]);
        for (int pe = 0; pe < npes; pe++)
            wrong |= all[pe] != pe * pe;
    }
    shmem_finalize();
    return wrong;
}
