#include <shmemx.h>
#include <stdio.h>

static long table[10];

int main(void) {
    shmem_init();
    uint64_t issued, complete, before, come;
    int wrong = 0;
    shmemx_pcntr_get_completed_target(&before); /* from here on all PEs count */
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        static const long value = 4;
        for (int i = 0; i < 10; i++)
            shmem_long_put_nbi(&table[i], &value, 1, 1);
        shmemx_pcntr_get_issued_write(SHMEM_CTX_DEFAULT, &issued);
        printf("PE 0: %lu writes issued\n", (unsigned long)issued);
        shmem_quiet();
        shmemx_pcntr_get_completed_write(SHMEM_CTX_DEFAULT, &complete);
        printf("PE 0: after quiet %lu are complete\n", (unsigned long)complete);
        fflush(stdout);
        wrong = issued != 10 || complete != 10;
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 1) {
        shmemx_pcntr_get_completed_target(&come);
        printf("PE 1: %lu writes have come\n", (unsigned long)(come - before));
        wrong = come - before != 10;
    }
    shmem_finalize();
    return wrong;
}
