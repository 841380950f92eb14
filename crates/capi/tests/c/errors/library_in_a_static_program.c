// pes: 2
// exit: nonzero
// flags: -static
// each: SHMEM_TRANSPORT = libfabric | ucx
// says: linked statically
// says: dynamically
// A statically linked program cannot load the library of a transport: the reason is reported, instead of a crash inside that
// library.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    end();
    return 0;
}
