#include <shmem.h>
#include <stdio.h>

enum { TICKETS = 100 };

static long next;           /* at PE 0 */
static int drawn[TICKETS];  /* at PE 0 */

int main(void) {
    shmem_init();
    for (;;) {
        long ticket = shmem_long_atomic_fetch_add(&next, 1, 0);
        if (ticket >= TICKETS)
            break;
        shmem_int_atomic_inc(&drawn[ticket], 0);
    }
    shmem_barrier_all();
    int wrong = 0;
    if (shmem_my_pe() == 0) {
        for (int i = 0; i < TICKETS; i++)
            wrong |= drawn[i] != 1;
        if (!wrong)
            printf("%d tickets were drawn, each once\n", TICKETS);
    }
    shmem_finalize();
    return wrong;
}
