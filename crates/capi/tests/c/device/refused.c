// Arguments that must not be device memory, or not that device memory, are refused by name: a few of each kind, over every transport.
// `bad/device.c` has all.
// pes: 2
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// each: CASE = dest | source | target | sig_addr | ivar | test | status | indices | cmp_values | beyond | local | lock | free | gfree | twice | realloc | request | reduce | align
// exit: nonzero
// says: PE [01]: (p?shmem|shmemg)[a-z_]*: (dest|source|sig_addr|ivar|ivars|status|indices|cmp_values|lock|ptr|dest or source) .*(device|not aligned|not its start)
// flags: -ldl
#include "device.h"
#include <shmemx.h>

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    const char *wanted = getenv("CASE");
    int to = (me + 1) % npes, status[4] = {0};
    long *device = shmemg_calloc(64, sizeof(long)), *outside = device_alloc(64 * sizeof(long)), *host = need(64 * sizeof(long)), here[64];
    size_t indices[4];
#define CASE(name) else if (strcmp(wanted, name) == 0)
    if (wanted == NULL) return 0;
    CASE("dest") shmem_long_put(outside, here, 4, to);
    CASE("source") shmem_long_get(here, outside, 4, to);
    CASE("target") shmem_long_atomic_inc(outside, to);
    CASE("sig_addr") shmem_long_put_signal(device, here, 4, (uint64_t *)outside, 1, SHMEM_SIGNAL_SET, to);
    CASE("ivar") shmem_long_wait_until(outside, SHMEM_CMP_EQ, 7);
    CASE("test") shmem_long_test(outside, SHMEM_CMP_EQ, 7);
    CASE("status") shmem_long_test_all(device, 4, (int *)outside, SHMEM_CMP_EQ, 7);
    CASE("indices") shmem_long_test_some(device, 4, (size_t *)device, status, SHMEM_CMP_EQ, 7);
    CASE("cmp_values") shmem_long_test_some_vector(device, 4, indices, status, SHMEM_CMP_EQ, device);
    CASE("beyond") shmem_putmem(device, here, 9 << 20, to);
    CASE("local") shmem_putmem(host, outside + 60, 64 << 20, to);
    CASE("lock") shmem_set_lock(device);
    CASE("free") shmem_free(device);
    CASE("gfree") shmemg_free(host);
    CASE("twice") shmemg_free(device + 1);
    CASE("realloc") host = shmem_realloc(device, 100);
    CASE("request")
    {
        shmemx_req_t request;
        shmemx_long_broadcast_nb(SHMEM_TEAM_WORLD, device, device, 4, 0, &request);
    }
    CASE("reduce") shmem_long_sum_reduce(SHMEM_TEAM_WORLD, outside, host, 4);
    CASE("align") shmem_long_atomic_inc((long *)((char *)device + 4), to);
    FAIL("%s was not refused", wanted);
}
