// Blocks of the device heap at every alignment up to 64 MiB, on every PE; a wider one is refused, and the line on standard error says so.
// pes: 1 2
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=256m
// stderr: shmemg_align\(100 B\) returns NULL on all PEs: blocks can be aligned to at most 64.0 MiB
// flags: -ldl
#include "device.h"

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    char *first = need_device(100), *last = NULL;
    unsigned char mark = (unsigned char)(me + 1), seen;
    for (size_t alignment = 1; alignment <= 64 << 20; alignment *= 2) {
        char *block = shmemg_align(alignment, 100);
        if (block == NULL || (uintptr_t)block % alignment != 0) FAIL("shmemg_align(%zu, 100) is %p", alignment, (void *)block);
        CHECK(block != first && block != last);
        write_to(block, 1, &mark, 1);
        last = block;
    }
    shmem_barrier_all();
    shmem_getmem(&seen, last, 1, (me + 1) % npes);
    CHECK_EQ(seen, (me + 1) % npes + 1);
    CHECK(shmemg_align(128 << 20, 100) == NULL);
    CHECK(shmemg_align(4096, 100) != NULL);
    shmem_finalize();
    return 0;
}
