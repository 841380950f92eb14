// PEs that die by a signal: one case for each name. `tests/crashes.rs` has the expected report of each. A comment with the case's name
// marks the line that the report names.
#include <math.h>
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int me;
static volatile int zero;
static char *block;

__attribute__((noinline)) static void stores_far_behind(void) {
    block[512ul << 20] = 1; // stores far behind
}

__attribute__((noinline)) static void stores_behind_a_peers(void) {
    char *theirs = shmem_ptr(block, 1 - me);
    theirs[512] = 1; // Within the pages that the heap already has: no crash.
    abort();
}

__attribute__((noinline)) static void puts_from_null(void) {
    shmem_putmem(block, (void *)8, 64, 1 - me); // puts from null
    zero = 1;
}

__attribute__((noinline)) static void gets_to_null(void) {
    shmem_long_get(NULL, (long *)block, 8, 1 - me); // gets to null
    zero = 1;
}

__attribute__((noinline)) static void divides(void) {
    zero = 7 / zero; // divides
}

// The load is its line's first instruction, and the one before it is the line before.
__attribute__((noinline)) static void loads_from(volatile char *where) {
    zero = 1;
    (void)*where; // loads by its line's first instruction
}

static void loads_by_its_lines_first_instruction(void) { loads_from(block + (512ul << 20)); }

enum { THREADS = 4 };
static pthread_barrier_t together;

static void *loads_with_others(void *where) {
    pthread_barrier_wait(&together);
    (void)*(volatile char *)where; // loads in all threads at once
    return NULL;
}

static void loads_in_all_threads_at_once(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, loads_with_others, block + (512ul << 20));
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

__attribute__((noinline)) static void calls_nothing(void) { ((void (*)(void))(size_t)zero)(); }

__attribute__((noinline)) static int recurses(volatile char *above) {
    volatile char here[4096];
    here[0] = above[0];
    return recurses(here) + here[1];
}

static void overflows_the_stack(void) {
    char top[1] = {0};
    exit(recurses(top));
}

static void stops_by_an_assertion(void) { abort(); }

static void is_killed(void) {
    raise(SIGSEGV);
}

static void own(int number) {
    (void)number;
    static const char text[] = "the program's own handler\n";
    if (write(1, text, sizeof text - 1) < 0) _exit(9);
    _exit(3);
}

static void give_back(int number) { signal(number, SIG_DFL); }

static void handles_it(void) {
    signal(SIGSEGV, own);
    stores_far_behind();
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"stores far behind", stores_far_behind},
    {"stores behind a peer's", stores_behind_a_peers},
    {"puts from null", puts_from_null},
    {"gets to null", gets_to_null},
    {"divides", divides},
    {"loads by its line's first instruction", loads_by_its_lines_first_instruction},
    {"loads in all threads at once", loads_in_all_threads_at_once},
    {"calls nothing", calls_nothing},
    {"overflows the stack", overflows_the_stack},
    {"stops by an assertion", stops_by_an_assertion},
    {"is killed", is_killed},
    {"handles it", handles_it},
    {"has handled it before", stores_far_behind},
    {"has given it back", stores_far_behind},
};

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "has handled it before") == 0) signal(SIGSEGV, own);
    if (argc > 1 && strcmp(argv[1], "has given it back") == 0) signal(SIGSEGV, give_back);
    shmem_init();
    me = shmem_my_pe();
    block = shmem_malloc(512);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && me == 1 && strcmp(argv[1], ways[i].name) == 0) ways[i].run();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
