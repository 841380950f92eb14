// pes: 1 2
// The pages of a block of zeros exist when shmem_calloc returns: the first access to it does not wait for the kernel.
#include "check.h"
#include <sys/mman.h>
#include <sys/resource.h>

enum { LEN = 8 << 20, PAGE = 4096 };

static long faults(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_minflt;
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
#ifdef MADV_POPULATE_WRITE
    void *probe = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(probe != MAP_FAILED);
    const int can = madvise(probe, PAGE, MADV_POPULATE_WRITE) == 0;
    munmap(probe, PAGE);
#else
    const int can = 0;
#endif
    char *block = shmem_calloc(LEN, 1);
    CHECK(block != NULL);
    const long before = faults();
    for (long at = 0; at < LEN; at += PAGE) {
        CHECK_EQ(block[at], 0);
        block[at] = 1;
    }
    const long after = faults();
    if (can)
        CHECK(after - before < LEN / PAGE / 8);
    else
        printf("skipped: pages of zeros: this kernel does not give pages ahead (Linux 5.14)\n");
    shmem_barrier_all();
    end();
    return 0;
}
