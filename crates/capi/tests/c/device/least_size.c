// A size of the device heap may be zero or have a fraction: the heap is at least as large, in whole units of the driver.
// pes: 1 2
// each: SHMEM_DEVICE_SYMMETRIC_SIZE = 0 | 1 | 0.5K | 2.5m
// flags: -ldl
#include "device.h"

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    const char *asked = getenv("SHMEM_DEVICE_SYMMETRIC_SIZE");
    char *block = need_device(strcmp(asked, "2.5m") == 0 ? 2560 << 10 : 512);
    shmem_putmem(block, asked, 1, (me + 1) % npes);
    shmem_barrier_all();
    char first = 0;
    read_from(&first, block, 1, 1);
    CHECK_EQ(first, asked[0]);
    CHECK(shmemg_malloc(64 << 20) == NULL);
    shmem_finalize();
    return 0;
}
