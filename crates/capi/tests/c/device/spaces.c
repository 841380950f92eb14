// HPE's spaces, in the form in which programs in Fortran use them: signals on the host's heap, data on the device's.
// pes: 1 2
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// env: SHMEM_GPU_SUPPORT_ENABLED=1
// flags: -ldl
#include "device.h"
#include <shmemx.h>

int main(void)
{
    int me, npes;
    open_driver();
    begin(&me, &npes);
    CHECK_EQ(shmemx_query_gpu_awareness(SHMEM_TEAM_WORLD), 1);
    shmem_space_config_t config = {1 << 20, SHMEM_MTYPE_GPU};
    shmem_space_t space;
    CHECK_EQ(shmemx_space_create(SHMEM_TEAM_WORLD, 0, &config, &space), 0);
    double *send = shmemx_space_malloc(space, 1000 * sizeof(double)), *receive = shmemx_space_malloc(space, 1000 * sizeof(double)), here[1000];
    uint64_t *notify = shmem_calloc(1, sizeof *notify);
    CHECK(send != NULL && receive != NULL && shmemx_space_malloc(space, 1 << 20) == NULL);
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    for (int i = 0; i < 1000; i++) here[i] = me + i / 1000.0;
    write_to(send, 1, here, sizeof here);
    shmem_putmem_signal_nbi(receive, send, sizeof here, notify, 1, SHMEM_SIGNAL_SET, to);
    shmem_signal_wait_until(notify, SHMEM_CMP_EQ, 1);
    read_from(here, receive, 1, sizeof here);
    for (int i = 0; i < 1000; i++) CHECK_NTH("what came", i, here[i], from + i / 1000.0);
    shmemx_space_free(space, receive);
    CHECK((receive = shmemx_space_malloc(space, 1000000)) != NULL);
    config.mtype = 77;
    CHECK(shmemx_space_create(SHMEM_TEAM_WORLD, 0, &config, &space) != 0);
    shmem_finalize();
    return 0;
}
