/* How soon a computing PE serves its peers. PE 1 communicates with PE 0 without a pause for 5 ms; then it is away: it computes
 * and does not call SHMEM. Meanwhile PE 0 measures the time of its fetch_adds on PE 1.
 *
 * away_first is the first operation when PE 1 is certainly away. away_at_once is the first one if PE 0 begins at the end of
 * the communication, while PE 1 calls quiet and leaves. away_while are all operations during a long absence. Each is reported as the
 * median and the 90th percentile. BATCHES is the number of short absences, BATCH_US the length of one; the long one lasts 25 times
 * as long. A library that serves no peer until PE 1 is back shows the length of the absence. */
#include "round_trips.h"

#define TALK_NS 5e6
#define LONG_ABSENCE 25 /* short ones */
#define SETTLE_NS 100e3 /* from PE 1's farewell until its last call has certainly returned */
#define OPERATIONS_MAX (1 << 17)
#define WARM_UP 100

static long *ball, *farewell, *target;
static long absences; /* so far; the same on both PEs */
static double ns[OPERATIONS_MAX];

/* The time at which PE 0 begins with its operations. */
enum begin { WHEN_GONE, AT_ONCE };

static void talk(long n, void *nothing)
{
    (void)nothing;
    rally(n, ball);
}

/* Round trips during the communication; the same on all PEs. */
static long talk_length(void)
{
    double took = bench_together_shortest_ns(talk, NULL, WARM_UP);
    return bench_agree(batch_scale(WARM_UP, took, TALK_NS));
}

static void compute(double length_ns)
{
    for (double end = batch_now_ns() + length_ns; batch_now_ns() < end;)
        for (long i = 0; i < 10000; i++)
            __asm__ volatile("" : "+r"(i));
}

static double fetch_add_ns(void)
{
    double start = batch_now_ns();
    (void)shmem_long_atomic_fetch_add(target, 1, 1);
    return batch_now_ns() - start;
}

/* PE 1 leaves: everything that it sent has arrived, and its last call waits for no PE. */
static void leave(void)
{
    shmem_quiet();
    shmem_long_p(farewell, absences, 0);
}

/* PE 0 waits until PE 1 has left, and serves it meanwhile. */
static void see_off(void)
{
    shmem_long_wait_until(farewell, SHMEM_CMP_EQ, absences);
    for (double end = batch_now_ns() + SETTLE_NS; batch_now_ns() < end;)
        (void)shmem_long_test(ball, SHMEM_CMP_EQ, -1);
}

/* One period of communication and the absence of PE 1 after it. On PE 0, return the number of operations, at most `most`, whose
 * times are in `times`; the last one begins well before PE 1 is back. */
static int absence(long round_trips, enum begin begin, double length_ns, double *times, int most)
{
    int done = 0;
    talk(round_trips, NULL);
    double end = batch_now_ns() + 0.9 * length_ns;
    absences++;
    if (bench.me == 1) {
        if (begin == WHEN_GONE)
            leave();
        else
            shmem_quiet();
        compute(length_ns);
    } else if (bench.me == 0) {
        if (begin == WHEN_GONE)
            see_off();
        do
            times[done++] = fetch_add_ns();
        while (done < most && batch_now_ns() < end);
    }
    return done;
}

static void report(const char *median, const char *percentile, double *times, int n)
{
    bench_report(median, sizeof(long), n ? batch_median(times, n) : 0, "ns");
    bench_report(percentile, sizeof(long), n ? batch_percentile(times, n, 90) : 0, "ns");
}

static void first(long round_trips, enum begin begin, const char *median, const char *percentile)
{
    int n = 0;
    while (bench.me < 2 && n < bench.settings.batches)
        absence(round_trips, begin, bench.settings.batch_ns, &ns[n++], 1);
    report(median, percentile, ns, n);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    ball = bench_symmetric(sizeof *ball);
    farewell = bench_symmetric(sizeof *farewell);
    target = bench_symmetric(sizeof *target);
    long round_trips = talk_length();
    first(round_trips, WHEN_GONE, "away_first", "away_first_p90");
    first(round_trips, AT_ONCE, "away_at_once", "away_at_once_p90");
    int operations = absence(round_trips, WHEN_GONE, LONG_ABSENCE * bench.settings.batch_ns, ns, OPERATIONS_MAX);
    report("away_while", "away_while_p90", ns, operations);
    shmem_barrier_all();
    shmem_free(target);
    shmem_free(farewell);
    shmem_free(ball);
    bench_end();
    return 0;
}
