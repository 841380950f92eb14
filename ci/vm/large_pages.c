/* Heaps on large pages. Each PE stores its number into each 4 KiB of its successor's heap, whose size in MiB is the argument, in two
 * allocations, and checks what it has got. Exit status 1 and a line if something else is there. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEP = 4096 / sizeof(long) };

int main(int argc, char **argv) {
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes(), next = (me + 1) % npes, previous = (me + npes - 1) % npes;
    const size_t bytes = (size_t)strtoul(argc > 1 ? argv[1] : "1", NULL, 10) << 20;
    int wrong = 0;
    for (int half = 0; half < 2; half++) {
        const size_t count = bytes / 2 / sizeof(long);
        long *block = shmem_calloc(count, sizeof *block);
        if (!block) {
            fprintf(stderr, "PE %d: shmem_calloc returns NULL\n", me);
            shmem_global_exit(1);
        }
        for (size_t at = 0; at < count; at += STEP) wrong += block[at] != 0;
        shmem_barrier_all();
        for (size_t at = 0; at < count; at += STEP) shmem_long_p(&block[at], previous + (long)at, next);
        shmem_long_p(&block[count - 1], 77, next);
        shmem_barrier_all();
        const long before = (previous + npes - 1) % npes;
        for (size_t at = 0; at < count; at += STEP) wrong += block[at] != before + (long)at;
        wrong += block[count - 1] != 77;
    }
    if (wrong) fprintf(stderr, "PE %d: %d words are wrong\n", me, wrong);
    shmem_finalize();
    return wrong != 0;
}
