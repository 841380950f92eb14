// pes: 2
// env: SHMEM_SYMMETRIC_SIZE=512M
// needs: mapped
// flags: -D_GNU_SOURCE
// After mlockall(MCL_FUTURE) the kernel populates new mappings: but not the heaps, whose pages are allocated when touched.
#include "check.h"
#include <sys/mman.h>

static long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    CHECK(status != NULL);
    while (fgets(line, sizeof line, status) != NULL) sscanf(line, "VmRSS: %ld", &kib);
    fclose(status);
    return kib;
}

int main(void)
{
    int me, npes;
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        printf("skipped: locking memory: mlockall is refused\n");
        return 0;
    }
    long before = resident_kib();
    begin(&me, &npes);
    CHECK(resident_kib() - before < 512 * 1024);
    char *block = need(1 << 20);
    memset(block, me, 1 << 20);
    CHECK_EQ(block[99], me);
    end();
    return 0;
}
