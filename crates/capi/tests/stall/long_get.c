/* PE 0 fetches from PE 1, which waits in a barrier meanwhile, and prints whether that took long, and the transports of UCX. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEN = 16 << 20, STEP = 4096 };

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    char *from = shmem_malloc(LEN);
    for (size_t at = 0; at < LEN; at += STEP) from[at] = (char)(at / STEP % 100 + me);
    shmem_barrier_all();
    if (me == 0) {
        char *to = malloc(LEN);
        time_t begin = time(NULL);
        shmem_getmem(to, from, LEN, 1);
        const char *tls = getenv("UCX_TLS");
        printf("UCX_TLS=%s: the get took %s\n", tls ? tls : "", time(NULL) - begin >= 5 ? "5 s or more" : "less");
        for (size_t at = 0; at < LEN; at += STEP)
            if (to[at] != (char)(at / STEP % 100 + 1)) shmem_global_exit(1);
        free(to);
    }
    shmem_barrier_all();
    shmem_free(from);
    shmem_finalize();
    return 0;
}
