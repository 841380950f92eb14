// pes: 1 2
// exit: 4
// flags: -Werror=return-type
// In C11 shmem_global_exit is _Noreturn: a function that ends with it needs no return.
#include "check.h"

static int leave(int me)
{
    if (me >= 0) {
        shmem_global_exit(4);
    } else {
        shmem_global_exit(5);
    }
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_barrier_all();
    return leave(me);
}
