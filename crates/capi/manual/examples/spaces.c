/* HPE's interface to device memory. */
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>

int main(void)
{
    shmem_init();
    shmem_space_config_t config = {.size = 1 << 20, .mtype = SHMEM_MTYPE_GPU};
    shmem_space_t space;
    int aware = shmemx_query_gpu_awareness(SHMEM_TEAM_WORLD);
    if (aware == 1 && shmemx_space_create(SHMEM_TEAM_WORLD, 0, &config, &space) == 0) {
        int *block = shmemx_space_malloc(space, 4096);
        shmem_int_p(block, shmem_my_pe(), (shmem_my_pe() + 1) % shmem_n_pes());
        shmem_barrier_all();
        printf("PE %d: %d\n", shmem_my_pe(), shmem_int_g(block, shmem_my_pe()));
        shmemx_space_free(space, block);
    }
    shmem_finalize();
    return 0;
}
