#include <shmem.h>
#include <stdio.h>

static unsigned int present; /* at PE 0 */
static int last;             /* at PE 0 */

int main(void) {
    shmem_init();
    unsigned int mine = 1u << shmem_my_pe(), all = (1u << shmem_n_pes()) - 1;
    unsigned int before = shmem_uint_atomic_fetch_or(&present, mine, 0);
    if ((before | mine) == all)
        shmem_int_atomic_inc(&last, 0);
    shmem_barrier_all();
    int wrong = 0;
    if (shmem_my_pe() == 0) {
        printf("the bits are %x; %d PE was the last\n", present, last);
        wrong = present != all || last != 1;
    }
    shmem_finalize();
    return wrong;
}
