#include <shmem.h>
#include <stdio.h>

static int part, go;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), wrong = 0;
    if (me == 0) {
        int owners[2] = {1, 2};
        shmem_int_p(&part, 11, 1);
        shmem_int_p(&part, 22, 2);
        shmem_pe_quiet(owners, 2); /* a fence is not enough: the flag goes to another PE */
        shmem_int_atomic_set(&go, 1, 3);
    } else if (me == 3) {
        shmem_int_wait_until(&go, SHMEM_CMP_EQ, 1);
        int first = shmem_int_g(&part, 1), second = shmem_int_g(&part, 2);
        printf("PE 3 finds %d and %d\n", first, second);
        wrong = first != 11 || second != 22;
    }
    shmem_finalize();
    return wrong;
}
