// pes: 3
// exit: nonzero
// says: shmem_collectmem
// says: dest
// The collected data do not fit the symmetric heap: no memory beyond it is written on any PE.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    size_t all = (size_t)2 << 20;
    char *dest = shmem_malloc(all / 2), *source = shmem_malloc(all / 2);
    CHECK(dest != NULL && source != NULL);
    memset(source, me, all / 2);
    shmem_collectmem(SHMEM_TEAM_WORLD, source, dest, all / 2);
    end();
    return 0;
}
