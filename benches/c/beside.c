/* The same round trip as pingpong's between PE 0 and PE 1, while all other PEs compute: on a machine with fewer cores than PEs
 * the two have to come by a core each time. */
#include "round_trips.h"

static long batches; /* the same on all PEs */

struct court {
    long *ball;
    volatile long *over; /* the last batch that has ended */
};

static void play(long n, void *arg)
{
    struct court *court = arg;
    batches++;
    while (bench.me > 1 && *court->over < batches)
        for (volatile int i = 0; i < 1000; i++)
            ;
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
