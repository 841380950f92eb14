/* Puts from device memory to device memory, with a signal on the host. Kernels would fill and use the buffers. */
#include <shmem.h>
#include <shmemg.h>
#include <stdio.h>

int main(void)
{
    int provided;
    if (shmem_init_thread(SHMEM_THREAD_SINGLE | SHMEM_DEVICE_HOST_INIT, &provided) != 0) return 1;
    int me = shmem_my_pe(), npes = shmem_n_pes();
    if (!(provided & SHMEM_DEVICE_HOST_INIT)) {
        if (me == 0) printf("there is no device memory here\n");
        shmem_finalize();
        return 0;
    }
    double *ours = shmemg_malloc(1000 * sizeof(double)), *received = shmemg_malloc(1000 * sizeof(double));
    uint64_t *signal = shmem_calloc(1, sizeof(uint64_t));
    for (int i = 0; i < 1000; i++) shmem_double_p(&ours[i], me + i / 1000.0, me);
    shmem_double_put_signal(received, ours, 1000, signal, 1, SHMEM_SIGNAL_SET, (me + 1) % npes);
    shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 1);
    printf("PE %d has %.3f from PE %d\n", me, shmem_double_g(&received[500], me), (me + npes - 1) % npes);
    shmem_free(signal);
    shmemg_free(received);
    shmemg_free(ours);
    shmem_finalize();
    return 0;
}
