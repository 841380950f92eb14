#include <shmem.h>
#include <stdio.h>

static int now(void) {
    int initialized;
    shmem_query_initialized(&initialized);
    return initialized;
}

int main(void) {
    int seen[4];
    seen[0] = now();
    shmem_init();
    seen[1] = now();
    shmem_init();     /* a library that does not know of the program's call */
    shmem_finalize(); /* a barrier */
    seen[2] = now();
    int me = shmem_my_pe();
    shmem_finalize();
    seen[3] = now();
    if (me == 0)
        printf("initialised: %d %d %d %d\n", seen[0], seen[1], seen[2], seen[3]);

    shmem_init();
    int npes = shmem_n_pes();
    if (me == 0)
        printf("and again: %d PEs\n", npes);
    shmem_finalize();
    return seen[0] == 0 && seen[1] == 1 && seen[2] == 1 && seen[3] == 0 ? 0 : 1;
}
