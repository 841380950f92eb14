// pes: 1 2
// flags: -std=c99
// In C99 the header offers the plain names only, compiles without warnings, and the plain shmem_wait_until, which shares its
// name with a C11 generic, is the long routine.
#include "check.h"

#if __STDC_VERSION__ >= 201112L
#error "this program is about C99"
#endif
#ifdef shmem_put
#error "C99 has no generic shmem_put"
#endif

static long word;

int main(void)
{
    int me, npes, to;
    begin(&me, &npes);
    to = (me + 1) % npes;
    shmem_long_p(&word, 5, to);
    shmem_wait_until(&word, SHMEM_CMP_EQ, 5);
    shmem_wait(&word, 4);
    shmem_barrier_all();
    shmem_long_put(&word, &(const long){6}, 1, to);
    shmem_barrier_all();
    CHECK_EQ(word, 6);
    void (*as_pointer)(long *, int, long) = shmem_wait_until;
    as_pointer(&word, SHMEM_CMP_EQ, 6);
    end();
    return 0;
}
