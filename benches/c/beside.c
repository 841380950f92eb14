/* The round trip of pingpong between PE 0 and PE 1 while all other PEs compute: on a machine with fewer cores than PEs the two
 * need to be scheduled each time. */
#include "round_trips.h"

#define CALL_NS 50e6

static long batches; /* the same on all PEs */

struct court {
    long *ball;
    volatile long *over; /* the last batch that has ended */
};

/* Compute until the batch ends. A library that receives only in its calls learns of the end in one: there is one call each 50 ms,
 * too few to help the two measured PEs. */
static void compute(struct court *court)
{
    double called = batch_now_ns();
    while (*court->over < batches) {
        for (volatile int i = 0; i < 1000; i++)
            ;
        double now = batch_now_ns();
        if (now - called > CALL_NS) {
            (void)shmem_long_test((long *)court->over, SHMEM_CMP_GE, batches);
            called = now;
        }
    }
}

static void play(long n, void *arg)
{
    struct court *court = arg;
    batches++;
    if (bench.me > 1)
        compute(court);
    rally(n, court->ball);
    for (int pe = 2; bench.me == 0 && pe < bench.pes; pe++)
        shmem_long_p((long *)court->over, batches, pe);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(3);
    struct court court = {bench_symmetric(sizeof(long)), bench_symmetric(sizeof(long))};
    bench_report("pingpong_beside", sizeof(long), bench_together_ns(play, &court) / 2, "ns");
    shmem_free((long *)court.over);
    shmem_free(court.ball);
    bench_end();
    return 0;
}
