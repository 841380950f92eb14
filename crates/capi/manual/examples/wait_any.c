#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

static int from[4];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), wrong = 0;
    if (me != 0) {
        shmem_int_atomic_set(&from[me], 10 * me, 0);
    } else {
        int had[4] = {1, 0, 0, 0}, sum = 0; /* nothing comes from PE 0 */
        size_t pe;
        while ((pe = shmem_int_wait_until_any(from, 4, had, SHMEM_CMP_NE, 0)) != SIZE_MAX) {
            had[pe] = 1;
            sum += from[pe];
        }
        printf("all came; the sum is %d\n", sum);
        wrong = sum != 60;
    }
    shmem_finalize();
    return wrong;
}
