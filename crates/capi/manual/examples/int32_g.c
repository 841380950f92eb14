#include <shmemx.h>
#include <stdio.h>

static int32_t word, sum, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long sync[SHMEM_REDUCE_SYNC_SIZE];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    word = 10 * (me + 1);
    shmem_barrier_all();
    shmemx_int32_sum_to_all(&sum, &word, 1, 0, 0, npes, work, sync);
    int32_t next = shmemx_int32_g(&word, (me + 1) % npes);
    if (me == 0)
        printf("PE 0 reads %d of PE 1, all have %d\n", next, sum);
    shmem_finalize();
    return sum != 5 * npes * (npes + 1);
}
