/* The reference for p and wait_until: two pinned processes exchange a word through a shared mapping, and both poll
 * continuously (a wait that pauses between polls disturbs the writer less and may be a little faster). Its value
 * shows whether the cores are near or far at the moment. Prints half a round trip. The batch length is not used: a batch is
 * 200 round trips, short enough that most fall between interrupts. */
#include "bare.h"

#define ROUND_TRIPS 200
#define LIMIT_NS 3e8 /* a busy machine may delay the probe no longer than this */

struct court {
    _Alignas(256) _Atomic long there; /* the parent's word; -1 ends the child */
    _Alignas(256) _Atomic long back;  /* the child's word */
};

static void answer(struct court *c)
{
    for (long turn = 1;; turn++) {
        long seen;
        while ((seen = atomic_load_explicit(&c->there, memory_order_acquire)) != turn)
            if (seen < 0)
                _exit(0);
        atomic_store_explicit(&c->back, turn, memory_order_release);
    }
}

static void serve(struct court *c, long turn)
{
    atomic_store_explicit(&c->there, turn, memory_order_release);
    while (atomic_load_explicit(&c->back, memory_order_acquire) != turn)
        ;
}

int main(int argc, char **argv)
{
    static double ns[BATCHES_MAX];
    struct batch_settings settings = batch_arguments(argc, argv);
    struct court *c = bare_shared(sizeof *c);
    long turn = 0;
    int batches = 0;
    pid_t child = bare_fork();
    bare_pin(child == 0);
    if (child == 0)
        answer(c);
    double start = batch_now_ns();
    for (int i = 0; i < ROUND_TRIPS; i++) /* warm-up: the child arrives on its core */
        serve(c, ++turn);
    do {
        double from = batch_now_ns();
        for (int i = 0; i < ROUND_TRIPS; i++)
            serve(c, ++turn);
        ns[batches++] = (batch_now_ns() - from) / ROUND_TRIPS / 2;
    } while (batches < settings.batches && batch_now_ns() - start < LIMIT_NS);
    atomic_store_explicit(&c->there, -1, memory_order_release);
    waitpid(child, NULL, 0);
    batch_report("bare_pingpong", sizeof(long), batch_median(ns, batches), "ns");
    return 0;
}
