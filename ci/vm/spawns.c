/* A program that runs others, by system(3) and by fork and exec, between puts and gets. Each round changes the source, private and
 * symmetric, while a child of fork exists: a NIC that still reads the pages that the child has got would send old bytes. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 8, COUNT = 16384 };

static long in_data[COUNT];

static int check(const char *what, int round, const long *got, long wanted) {
    for (int at = 0; at < COUNT; at++) {
        if (got[at] != wanted) {
            fprintf(stderr, "PE %d, round %d, %s: word %d is %ld, not %ld\n", shmem_my_pe(), round, what, at, got[at], wanted);
            return 1;
        }
    }
    return 0;
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes(), previous = (me + shmem_n_pes() - 1) % shmem_n_pes();
    long *in_heap = shmem_malloc(COUNT * sizeof *in_heap), *mine = malloc(COUNT * sizeof *mine), *back = malloc(COUNT * sizeof *back);
    int wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const int status = system("exit 7");
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) {
            fprintf(stderr, "PE %d, round %d: system(3) returns %#x\n", me, round, status);
            wrong++;
        }
        int pipe_to_child[2];
        if (pipe(pipe_to_child)) return 2;
        const pid_t child = fork();
        if (child == 0) {
            /* Until the parent has communicated. */
            char byte;
            close(pipe_to_child[1]);
            (void)!read(pipe_to_child[0], &byte, 1);
            execl("/bin/true", "true", (char *)NULL);
            _exit(127);
        }
        close(pipe_to_child[0]);
        for (int at = 0; at < COUNT; at++) mine[at] = 100 * round + me;
        shmem_long_put(in_heap, mine, COUNT, next);
        shmem_long_put(in_data, mine, COUNT, next);
        shmem_barrier_all();
        wrong += check("a put into the heap", round, in_heap, 100 * round + previous);
        wrong += check("a put into static data", round, in_data, 100 * round + previous);
        shmem_long_get(back, in_heap, COUNT, next);
        wrong += check("a get", round, back, 100 * round + me);
        close(pipe_to_child[1]);
        int ended;
        if (waitpid(child, &ended, 0) != child || !WIFEXITED(ended) || WEXITSTATUS(ended) != 0) {
            fprintf(stderr, "PE %d, round %d: the child of fork ends with %#x\n", me, round, ended);
            wrong++;
        }
        shmem_barrier_all();
    }
    shmem_finalize();
    return wrong != 0;
}
