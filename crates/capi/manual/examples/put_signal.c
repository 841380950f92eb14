#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>

static long value;
static uint64_t arrived;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), next = (me + 1) % npes;
    long sum = 0;
    if (me != 0) {
        shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1);
        sum = value + me;
    }
    shmem_long_put_signal(&value, &sum, 1, &arrived, 1, SHMEM_SIGNAL_SET, next);
    int wrong = 0;
    if (me == 0) {
        shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1);
        printf("PE 0 received %ld back\n", value);
        wrong = value != (long)npes * (npes - 1) / 2;
    }
    shmem_finalize();
    return wrong;
}
