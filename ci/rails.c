/* rails put|get ROUNDS: PE 0 puts 4 MiB to PE 1, or gets them, ROUNDS times. The receiver checks all words. Prints megabits per second. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 4 << 20 >> 3 };

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fill(long *words, long round) {
    for (long at = 0; at < COUNT; at++) words[at] = round * COUNT + at;
}

static void check(const long *words, long round) {
    for (long at = 0; at < COUNT; at++) {
        if (words[at] != round * COUNT + at) {
            fprintf(stderr, "round %ld: word %ld is %ld\n", round, at, words[at]);
            shmem_global_exit(1);
        }
    }
}

int main(int argc, char **argv) {
    shmem_init();
    const int me = shmem_my_pe(), gets = argc > 1 && strcmp(argv[1], "get") == 0;
    const long rounds = strtol(argc > 2 ? argv[2] : "1", NULL, 10);
    long *block = shmem_calloc(COUNT, sizeof *block), *flag = shmem_calloc(1, sizeof *flag);
    long *mine = calloc(COUNT, sizeof *mine);
    /* The first put connects. */
    if (me == 0) {
        shmem_long_put(block, mine, COUNT, 1);
        shmem_quiet();
        fprintf(stderr, "begun\n");
    }
    shmem_barrier_all();
    double spent_s = 0;
    for (long round = 1; round <= rounds; round++) {
        if (gets && me == 1) fill(block, round);
        if (!gets && me == 0) fill(mine, round);
        shmem_barrier_all();
        const double start_s = now_s();
        if (me == 0) {
            if (gets) {
                shmem_long_get(mine, block, COUNT, 1);
            } else {
                shmem_long_put(block, mine, COUNT, 1);
                /* The flag arrives after all pieces. */
                shmem_fence();
                shmem_long_p(flag, round, 1);
                shmem_quiet();
            }
            spent_s += now_s() - start_s;
            if (gets) check(mine, round);
        } else if (me == 1 && !gets) {
            shmem_long_wait_until(flag, SHMEM_CMP_EQ, round);
            check(block, round);
        }
        shmem_barrier_all();
    }
    if (me == 0) printf("%.1f\n", 8e-6 * (double)rounds * COUNT * sizeof *mine / spent_s);
    shmem_finalize();
    return 0;
}
