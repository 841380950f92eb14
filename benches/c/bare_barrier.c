/* The reference for a barrier: N processes, dissemination over shared words, and nothing else. With `spin` each process is pinned
 * and never yields its core; with `yield` it calls sched_yield between polls, which works with more processes than
 * cores. Arguments: BATCHES BATCH_US PROCESSES spin|yield. */
#include "bare.h"

#define ROUNDS_MAX 14
#define PROCESSES_MAX (1 << ROUNDS_MAX) /* the maximum number of PEs that the harness requests */

struct flags {
    _Alignas(128) _Atomic long round[ROUNDS_MAX][16]; /* one line each; only grows */
};

struct hall {
    _Alignas(128) _Atomic long operations; /* operations of a batch; 0 ends the processes */
    struct flags of[];                     /* each process's */
};

static struct hall *hall;
static int processes, me, yields;
static long epoch;

static void barrier(void)
{
    epoch++;
    for (int distance = 1, r = 0; distance < processes; distance *= 2, r++) {
        atomic_store_explicit(hall->of[(me + distance) % processes].round[r], epoch, memory_order_release);
        while (atomic_load_explicit(hall->of[me].round[r], memory_order_acquire) < epoch)
            if (yields)
                sched_yield();
    }
}

/* One batch, on every process; the first process has published its length. */
static double batch(long operations)
{
    if (me == 0)
        atomic_store_explicit(&hall->operations, operations, memory_order_relaxed);
    barrier();
    long n = atomic_load_explicit(&hall->operations, memory_order_relaxed);
    double start = batch_now_ns();
    for (long i = 0; i < n; i++)
        barrier();
    double took = batch_now_ns() - start;
    barrier(); /* every process has read the count before the next is written */
    return n ? took : -1;
}

static double shortest(long operations)
{
    double least = batch(operations);
    for (int i = 1; i < BATCH_TRIES; i++) {
        double took = batch(operations);
        least = took < least ? took : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    static double ns[BATCHES_MAX];
    struct batch_settings settings = batch_arguments(argc, argv);
    processes = argc == 5 ? atoi(argv[3]) : 0;
    if (processes < 2 || processes > PROCESSES_MAX || (strcmp(argv[4], "spin") && strcmp(argv[4], "yield"))) {
        fprintf(stderr, "usage: %s BATCHES BATCH_US PROCESSES(2..%d) spin|yield\n", argv[0], PROCESSES_MAX);
        return 2;
    }
    yields = strcmp(argv[4], "yield") == 0;
    hall = bare_shared(sizeof *hall + (size_t)processes * sizeof hall->of[0]);
    for (int i = 1; i < processes && me == 0; i++)
        if (bare_fork() == 0)
            me = i;
    if (!yields)
        bare_pin(me);
    if (me != 0) {
        while (batch(0) >= 0)
            ;
        return 0;
    }
    long n = 1, next;
    double took;
    while ((next = batch_try_next(n, took = shortest(n), settings.batch_ns)) != 0)
        n = next;
    n = batch_scale(n, took, settings.batch_ns);
    batch(n);
    for (int i = 0; i < settings.batches; i++)
        ns[i] = batch(n) / (double)n;
    batch(0);
    while (wait(NULL) > 0)
        ;
    batch_report(yields ? "bare_barrier_yield" : "bare_barrier_spin", 0, batch_median(ns, settings.batches), "ns");
    return 0;
}
