/* Half a round trip between PE 0 and PE 1: p, then wait_until for the answer. */
#include "round_trips.h"

static void play(long n, void *ball)
{
    rally(n, ball);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    long *ball = bench_symmetric(sizeof *ball);
    bench_report_time("pingpong", sizeof(long), bench_half(bench_together(play, ball)));
    shmem_free(ball);
    bench_end();
    return 0;
}
