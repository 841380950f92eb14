// pes: 1 2
// shmalloc, shmemalign, shrealloc and shfree are the old names of the same routines.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    long *a = shmalloc(10 * sizeof *a), *b = shmemalign(4096, 10 * sizeof *b);
    CHECK(a != NULL && b != NULL && (uintptr_t)b % 4096 == 0);
    a[0] = me;
    shmem_long_p(&b[9], me, to);
    a = shrealloc(a, 1000 * sizeof *a);
    CHECK(a != NULL && a[0] == me);
    shmem_barrier_all();
    CHECK_EQ(b[9], from);
    shfree(a);
    shfree(b);
    CHECK(shmalloc(0) == NULL);
    end();
    return 0;
}
