// pes: 1 2 4
// The local side of a put or get may be any memory: stack, malloc, read-only data, a file mapped read-only, statics, the heap;
// the remote side is static or in the heap, and the two sides may be of different kinds. Short or long: long sources are
// registered with a NIC in place, and some libraries request write access for that.
#include "check.h"
#include <sys/mman.h>

enum { LEN = 1 << 17 };
static const long read_only[LEN] = {3, 1, 4, 1, 5, 9, 2, 6};
static long in_bss[LEN], in_data[LEN] = {1};
static long bss_dest[LEN], data_dest[LEN] = {1};
static const size_t lengths[] = {1, 100, 1000, 8000, LEN};

static void fill(long *place, long seed)
{
    for (int i = 0; i < LEN; i++) place[i] = seed * 1000 + i;
}

/* Memory that must not be written. */
static const long *sealed(void)
{
    long *place = mmap(NULL, LEN * sizeof *place, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(place != MAP_FAILED);
    fill(place, 77);
    CHECK(mprotect(place, LEN * sizeof *place, PROT_READ) == 0);
    return place;
}

static void there_and_back(const char *what, const long *source, long *dest, size_t len, int me, int npes)
{
    static long back[LEN];
    static uint64_t arrived;
    int right = (me + 1) % npes;
    memset(back, 0, sizeof back);
    shmem_barrier_all();
    shmem_long_put(dest, source, len, right);
    shmem_quiet();
    shmem_long_get(back, dest, len, right);
    for (size_t i = 0; i < len; i++) CHECK_NTH(what, i, back[i], source[i]);
    shmem_barrier_all();

    memset(dest, 0, len * sizeof *dest);
    arrived = 0;
    shmem_barrier_all();
    shmem_long_put_signal_nbi(dest, source, len, &arrived, 1, SHMEM_SIGNAL_SET, right);
    shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1);
    // A PE's source is filled with other values than its neighbour's; the first element shows which.
    for (size_t i = 0; i < len; i += 97) CHECK_NTH(what, i, dest[i] - dest[0], source[i] - source[0]);
    shmem_barrier_all();
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    long on_stack[LEN], *on_malloc = malloc(sizeof on_stack), *on_heap = need(sizeof on_stack), *heap_dest = need(sizeof on_stack);
    fill(on_stack, me + 1), fill(on_malloc, me + 2), fill(on_heap, me + 3), fill(in_bss, me + 4), fill(in_data, me + 5);
    const long *sources[] = {on_stack, on_malloc, on_heap, in_bss, in_data, read_only, sealed()};
    static const char *names[] = {"stack", "malloc", "symmetric heap", ".bss", ".data", ".rodata", "mapped to be read"};
    long *dests[] = {heap_dest, bss_dest, data_dest};
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
        for (size_t d = 0; d < sizeof dests / sizeof *dests; d++)
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
                there_and_back(names[s], sources[s], dests[d], lengths[l], me, npes);
    free(on_malloc);
    end();
    return 0;
}
