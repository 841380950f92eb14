/* Every PE says hello; PE 0 then prints a counter to which all PEs have added one. */

#include <shmem.h>
#include <stdio.h>

static long greetings; /* static data is symmetric: it can be accessed on every PE */

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    int npes = shmem_n_pes();

    printf("hello from PE %d of %d\n", me, npes);
    shmem_long_atomic_inc(&greetings, 0);
    shmem_barrier_all();

    int complete = 1;
    if (me == 0) {
        long counted = shmem_long_atomic_fetch(&greetings, 0);
        printf("PE 0 counted %ld greetings\n", counted);
        complete = counted == npes;
    }
    shmem_finalize();
    return complete ? 0 : 1;
}
