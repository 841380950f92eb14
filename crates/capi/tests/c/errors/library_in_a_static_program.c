// pes: 2
// exit: nonzero
// flags: -static
// each: SHMEM_TRANSPORT = libfabric | ucx
// says: linked statically
// says: dynamically
// A program that is linked statically cannot load a transport's library: the reason is said, instead of a crash inside it.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    end();
    return 0;
}
