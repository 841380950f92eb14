#include <shmem.h>
#include <stdio.h>

enum { EACH = 10, ROOM = 100 };

static long lock;
static int length, entries[ROOM]; /* at PE 0 */

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    for (int i = 0; i < EACH; i++) {
        shmem_set_lock(&lock);
        int at = shmem_int_g(&length, 0);
        shmem_int_p(&entries[at], me + 1, 0);
        shmem_int_p(&length, at + 1, 0);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    int wrong = 0;
    if (me == 0) {
        int sum = 0;
        for (int i = 0; i < length; i++)
            sum += entries[i];
        wrong = length != npes * EACH || sum != EACH * npes * (npes + 1) / 2;
        printf("%d entries, %s\n", length, wrong ? "some lost" : "none lost");
    }
    shmem_finalize();
    return wrong;
}
