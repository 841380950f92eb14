// pes: 2
// needs: mapped
// flags: -D_GNU_SOURCE
// An MPI that caches registrations of memory intercepts calls of the C library: it must see that static data are remapped, at
// init and finalize, and that the symmetric heap is unmapped.
#include "check.h"
#include <sys/mman.h>
#include <sys/syscall.h>

static char grid[1 << 20];
static int other_pages, unmapped;
static char *heap;

static int covers(const char *base, size_t len, const char *place)
{
    return (uintptr_t)base <= (uintptr_t)place && (uintptr_t)place < (uintptr_t)base + len;
}

/* The functions by which such a library replaces these. */
int madvise(void *base, size_t len, int advice)
{
    if (advice == MADV_DONTNEED && covers(base, len, grid)) other_pages++;
    return (int)syscall(SYS_madvise, base, len, advice);
}

int munmap(void *base, size_t len)
{
    if (heap != NULL && covers(base, len, heap)) unmapped++;
    return (int)syscall(SYS_munmap, base, len);
}

int main(void)
{
    int me, npes;
    grid[7] = 7;
    for (int session = 0; session < 2; session++) {
        begin(&me, &npes);
        CHECK(shmem_addr_accessible(grid, me));
        CHECK_EQ(other_pages, 2 * session + 1);
        heap = need(16);
        end();
        CHECK_EQ(other_pages, 2 * session + 2);
        CHECK_EQ(unmapped, session + 1);
        CHECK_EQ(grid[7], 7);
        heap = NULL;
    }
    return 0;
}
