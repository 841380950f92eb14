/* Threads count in statics while these move to and fro; not one count may be lost. Prints "writers ok". */
#include "probe.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define MOVES 300
#define PAGE 4096

/* Each thread's plain counters lie on pages of their own, some in .data and some in .bss; one atomic is shared. */
static volatile long in_bss[THREADS][64 * PAGE / sizeof(long)];
static volatile long in_data[THREADS][PAGE / sizeof(long)] = {{1}, {1}, {1}};
static atomic_long shared;
static atomic_int stop, started;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long locked;

static void *count(void *argument) {
    long me = (long)argument;
    long rounds = 0; /* on the stack, where nothing moves */
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

static void old_handler(int signal) { (void)signal; }

int main(void) {
    alarm(240);
    int file = memfd_create("writers", 0);
    CHECK(file >= 0 && ftruncate(file, 2 * probe_len()) == 0);
    struct sigaction mine = {.sa_handler = old_handler}, now;
    CHECK(sigaction(SIGSEGV, &mine, 0) == 0);
    pthread_t threads[THREADS];
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
    CHECK(sigaction(SIGSEGV, 0, &now) == 0 && now.sa_handler == old_handler);
    CHECK(held == 2 * MOVES);
    printf("writers ok: %ld counts over %d moves\n", total, 2 * MOVES);
    return 0;
}
