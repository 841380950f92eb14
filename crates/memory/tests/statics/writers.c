/* Threads and a signal handler count in statics while these move back and forth; no count may be lost, and the program's own
 * faults must reach the program. Prints "writers ok". */
#include "probe.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define MOVES 100
#define PAGE 4096

/* The plain counters of each thread are on pages of their own, some in .data and some in .bss; one atomic is shared. */
static volatile long in_bss[THREADS][64 * PAGE / sizeof(long)];
static volatile long in_data[THREADS][PAGE / sizeof(long)] = {{1}, {1}, {1}};
static atomic_long shared;
static atomic_int stop, started;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long locked;

static void *count(void *argument) {
    long me = (long)argument;
    long rounds = 0; /* on the stack, which does not move */
    started++;
    while (!stop) {
        for (int page = 0; page < 64; page += 7)
            in_bss[me][page * PAGE / sizeof(long)]++;
        in_data[me][0]++;
        atomic_fetch_add(&shared, 1);
        pthread_mutex_lock(&mutex);
        locked++;
        pthread_mutex_unlock(&mutex);
        rounds++;
        if (rounds % 64 == 0) {
            struct timespec nap = {0, 20000};
            nanosleep(&nap, 0);
        }
    }
    return (void *)rounds;
}

/* A signal handler also writes a static, in whichever thread it runs. */
static volatile long ticks;
static volatile long *ticks_elsewhere;
static void tick(int signal) {
    (void)signal;
    __atomic_fetch_add(&ticks, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(ticks_elsewhere, 1, __ATOMIC_SEQ_CST);
}

/* The program handles its own faults: each time it opens the page that was closed. */
static char *door;
static volatile long knocks;
static void old_handler(int signal) {
    (void)signal;
    knocks++;
    mprotect(door, PAGE, PROT_READ | PROT_WRITE);
}
static void *knock(void *argument) {
    long opened = 0;
    (void)argument;
    while (!stop) {
        mprotect(door, PAGE, PROT_NONE);
        door[0] = 1;
        opened++;
        struct timespec nap = {0, 100000};
        nanosleep(&nap, 0);
    }
    return (void *)opened;
}

int main(void) {
    alarm(240);
    int file = memfd_create("writers", 0);
    CHECK(file >= 0 && ftruncate(file, 2 * probe_len()) == 0);
    struct sigaction mine = {.sa_handler = old_handler}, now;
    CHECK(sigaction(SIGSEGV, &mine, 0) == 0);
    door = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ticks_elsewhere = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(door != MAP_FAILED && ticks_elsewhere != MAP_FAILED);
    struct sigaction ticking = {.sa_handler = tick, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGPROF, &ticking, 0) == 0);
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_PROF, &often, 0) == 0);
    pthread_t knocker, threads[THREADS];
    CHECK(pthread_create(&knocker, 0, knock, 0) == 0);
    for (long me = 0; me < THREADS; me++)
        CHECK(pthread_create(&threads[me], 0, count, (void *)me) == 0);
    while (started < THREADS)
        sched_yield();
    int held = 0;
    for (int move = 0; move < MOVES; move++) {
        int64_t care = probe_share(file, (move % 2) * probe_len());
        CHECK(care >= 0);
        held += care == 1;
        care = probe_unshare();
        CHECK(care >= 0);
        held += care == 1;
    }
    stop = 1;
    CHECK(setitimer(ITIMER_PROF, &never, 0) == 0);
    void *opened;
    CHECK(pthread_join(knocker, &opened) == 0);
    CHECK(knocks == (long)opened && knocks > 0);
    long total = 0;
    for (long me = 0; me < THREADS; me++) {
        void *rounds;
        CHECK(pthread_join(threads[me], &rounds) == 0);
        for (int page = 0; page < 64; page += 7)
            CHECK(in_bss[me][page * PAGE / sizeof(long)] == (long)rounds);
        CHECK(in_data[me][0] == (long)rounds + 1);
        total += (long)rounds;
    }
    CHECK(shared == total && locked == total);
    CHECK(ticks == *ticks_elsewhere);
    CHECK(sigaction(SIGSEGV, 0, &now) == 0 && now.sa_handler == old_handler);
    CHECK(held == 2 * MOVES);
    printf("writers ok: %ld counts over %d moves\n", total, 2 * MOVES);
    return 0;
}
