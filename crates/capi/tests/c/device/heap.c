// The device heap: blocks, their order and alignment, zeros, addresses of peers, and both teams; thread levels beside the request.
// pes: 1 3
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// flags: -ldl
// stderr: shmemg_malloc\(8.00 MiB\) returns NULL on all PEs: no free block of this size in the device heap
#include "device.h"

int main(void)
{
    open_driver();
    int provided = -1;
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE | SHMEM_DEVICE_HOST_INIT | SHMEM_DEVICE_KERNEL_INIT, &provided), 0);
    CHECK_EQ(provided, SHMEM_THREAD_MULTIPLE | SHMEM_DEVICE_HOST_INIT);
    int me = shmem_my_pe(), npes = shmem_n_pes();
    *check_pe() = me;
    shmem_query_thread(&provided);
    CHECK_EQ(provided, SHMEM_THREAD_MULTIPLE);

    CHECK(shmemg_malloc((8 << 20) + 1) == NULL);
    CHECK(shmemg_malloc(0) == NULL && shmemg_calloc(0, 8) == NULL && shmemg_calloc(8, 0) == NULL);
    CHECK(shmemg_align(24, 8) == NULL);
    CHECK(shmemg_calloc(SIZE_MAX / 4, 8) == NULL);
    shmemg_free(NULL);
    char *block = need_device(1 << 20), *aligned = shmemg_align(4096, 100), *zeroed;
    CHECK(aligned != NULL && (uintptr_t)aligned % 4096 == 0 && aligned != block);
    unsigned char bytes[1000];
    memset(bytes, 0xee, sizeof bytes);
    write_to(block, 1, bytes, sizeof bytes);
    shmemg_free(block);
    zeroed = shmemg_calloc(250, 4);
    CHECK(zeroed != NULL);
    read_from(bytes, zeroed, 1, sizeof bytes);
    for (int i = 0; i < 1000; i++) CHECK_NTH("calloc", i, bytes[i], 0);
    shmem_barrier_all();

    for (int pe = 0; pe < npes; pe++) {
        CHECK_EQ(shmem_addr_accessible(zeroed, pe), 1);
        CHECK_EQ(shmem_pe_accessible(pe), 1);
        void *there = shmem_ptr(zeroed, pe);
        if (pe == me) CHECK(there == zeroed);
        if (there != NULL && pe != me) {
            CHECK(there != zeroed);
            int mark = 100 + me;
            if (me == (pe + 1) % npes) write_to(there, 1, &mark, sizeof mark);
        }
    }
    shmem_barrier_all();
    int mark = 0;
    if (shmem_ptr(zeroed, (me + 1) % npes) != NULL && npes > 1) {
        read_from(&mark, zeroed, 1, sizeof mark);
        CHECK_EQ(mark, 100 + (me + 1) % npes);
    }
    void *outside = device_alloc(64);
    CHECK_EQ(shmem_addr_accessible(outside, me), 0);
    CHECK(shmem_ptr(outside, me) == NULL);
    CHECK_EQ(shmem_team_n_pes(SHMEM_DEVICE_TEAM_WORLD), npes);
    CHECK(shmem_team_n_pes(SHMEM_DEVICE_TEAM_SHARED) >= 1);
    shmem_ctx_t ctx;
    CHECK(shmem_ctx_create(SHMEM_DEVICE_CTX, &ctx) != 0 && ctx == SHMEM_CTX_INVALID);

    /* The library counts its inits; the request of a later one is answered by what there is. */
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_SINGLE | SHMEM_DEVICE_HOST_INIT, &provided), 0);
    CHECK(provided & SHMEM_DEVICE_HOST_INIT);
    shmem_finalize();
    shmemg_free(aligned);
    shmem_finalize();
    return 0;
}
