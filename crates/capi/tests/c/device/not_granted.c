// Without memory on one PE's device, no PE is granted device memory; the job goes on with host memory.
// pes: 1 2
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=64m
// env: CUDA_STANDIN_MEMORY=1000000
// stderr: PE 0: no device memory: creating the device heap: cuMemCreate.*; shmem_init_thread does not grant it
// flags: -ldl
#include "device.h"

int main(void)
{
    int provided = -1;
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_FUNNELED | SHMEM_DEVICE_HOST_INIT, &provided), 0);
    CHECK_EQ(provided, SHMEM_THREAD_FUNNELED);
    int me = shmem_my_pe(), npes = shmem_n_pes();
    long *word = need(sizeof(long));
    shmem_long_p(word, me, (me + 1) % npes);
    shmem_barrier_all();
    CHECK_EQ(*word, (me + npes - 1) % npes);
    shmem_finalize();
    return 0;
}
