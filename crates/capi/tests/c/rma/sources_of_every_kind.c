// pes: 1 2 4
// The local side of a put or get may be anything: stack, malloc, read-only data, statics, the heap; the remote side static
// or heap, and the two sides need not be of one kind.
#include "check.h"

enum { LEN = 100 };
static const long read_only[LEN] = {3, 1, 4, 1, 5, 9, 2, 6};
static long in_bss[LEN], in_data[LEN] = {1};
static long bss_dest[LEN], data_dest[LEN] = {1};

static void fill(long *place, long seed)
{
    for (int i = 0; i < LEN; i++) place[i] = seed * 1000 + i;
}

static void there_and_back(const char *what, const long *source, long *dest, int me, int npes)
{
    int right = (me + 1) % npes;
    long back[LEN];
    memset(back, 0, sizeof back);
    shmem_barrier_all();
    shmem_long_put(dest, source, LEN, right);
    shmem_quiet();
    shmem_long_get(back, dest, LEN, right);
    for (int i = 0; i < LEN; i++) CHECK_NTH(what, i, back[i], source[i]);
    shmem_barrier_all();
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    long on_stack[LEN], *on_malloc = malloc(sizeof on_stack), *on_heap = need(sizeof on_stack), *heap_dest = need(sizeof on_stack);
    fill(on_stack, me + 1), fill(on_malloc, me + 2), fill(on_heap, me + 3), fill(in_bss, me + 4), fill(in_data, me + 5);
    const long *sources[] = {on_stack, on_malloc, on_heap, in_bss, in_data, read_only};
    static const char *names[] = {"stack", "malloc", "symmetric heap", ".bss", ".data", ".rodata"};
    long *dests[] = {heap_dest, bss_dest, data_dest};
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
        for (size_t d = 0; d < sizeof dests / sizeof *dests; d++) there_and_back(names[s], sources[s], dests[d], me, npes);
    free(on_malloc);
    end();
    return 0;
}
