// A device that is lost ends the job. The line names the PE, the routine (unless a peer's request met the failure) and the driver's call.
// pes: 1 2
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// each: CUDA_STANDIN_FAIL = cuMemcpyHtoDAsync_v2:20:700 | cuMemcpyDtoHAsync_v2:20:719
// exit: nonzero
// says: PE [01]: (shmem_long_(p|g): device memory|device memory, used by a peer): cuMemcpy
// says: CUDA_ERROR_(ILLEGAL_ADDRESS|LAUNCH_FAILED)
// flags: -ldl
#include "device.h"

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    long *word = shmemg_calloc(1, sizeof(long));
    for (int i = 0; i < 1000; i++) {
        shmem_long_p(word, i, (me + 1) % npes);
        shmem_long_g(word, (me + 1) % npes);
    }
    FAIL("the device was never lost");
}
