#include <shmem.h>
#include <stdio.h>

static int winner = -1; /* at PE 0 */
static int wins;        /* at PE 0 */

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    int before = shmem_int_atomic_compare_swap(&winner, -1, me, 0);
    if (before == -1)
        shmem_int_atomic_inc(&wins, 0);
    shmem_barrier_all();

    int known = shmem_int_atomic_fetch(&winner, 0);
    int agree = before == -1 ? known == me : known == before;
    if (me == 0)
        printf("%d PE won, and all know who\n", wins);
    int right = agree && (me != 0 || wins == 1);
    shmem_finalize();
    return right ? 0 : 1;
}
