/* Half a round trip between PE 0 and PE 1: p, then wait_until for the answer. */
#include "bench.h"

static long turn; /* grows over all batches, in step on both PEs */

static void rally(long n, void *arg)
{
    long *ball = arg;
    if (bench.me > 1)
        return;
    for (long i = 0; i < n; i++) {
        turn++;
        if (bench.me == 0) {
            shmem_long_p(ball, turn, 1);
            shmem_long_wait_until(ball, SHMEM_CMP_EQ, turn);
        } else {
            shmem_long_wait_until(ball, SHMEM_CMP_EQ, turn);
            shmem_long_p(ball, turn, 0);
        }
    }
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    long *ball = bench_symmetric(sizeof *ball);
    bench_report("pingpong", sizeof(long), bench_together_ns(rally, ball) / 2, "ns");
    shmem_free(ball);
    bench_end();
    return 0;
}
