// pes: 1 3
// env: SHMEM_DEBUG=1
// stderr: the symmetric heap is not at the address that it has on other PEs
// PE 0 has another mapping where the heaps of the other PEs are: its heap is elsewhere, and everything works.
#include "check.h"
#include <sys/mman.h>

static uintptr_t usual;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    long *block = need(sizeof *block);
    usual = (uintptr_t)block & ~(uintptr_t)((64 << 20) - 1);
    end();
    int *taken = NULL;
    if (me == 0) {
        taken = mmap((void *)usual, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        CHECK(taken == (void *)usual);
        *taken = 77;
    }
    begin(&me, &npes);
    block = need(sizeof *block);
    CHECK(((uintptr_t)block - usual < 64 << 20) == (me != 0));
    *block = -1;
    shmem_barrier_all();
    shmem_long_p(block, me, (me + 1) % npes);
    shmem_barrier_all();
    CHECK_EQ(*block, (me + npes - 1) % npes);
    CHECK(taken == NULL || *taken == 77);
    end();
    return 0;
}
