/* Bandwidth of many messages in progress: windows of non-blocking puts to PE 1, of gets from it, and of puts in both directions at
 * the same time, where the value is the sum of both. A quiet ends each window. */
#include "bench.h"

#define WINDOW_MESSAGES 64
#define WINDOW_BYTES (4 << 20)

struct stream {
    void *symmetric, *private;
    size_t bytes;
    long window;
};

static void puts_to(const struct stream *s, long n, int pe)
{
    for (long i = 1; i <= n; i++) {
        shmem_put64_nbi(s->symmetric, s->private, s->bytes / 8, pe);
        if (i % s->window == 0 || i == n)
            shmem_quiet();
    }
}

static void one_way(long n, void *arg)
{
    puts_to(arg, n, 1);
}

static void both_ways(long n, void *arg)
{
    if (bench.me < 2)
        puts_to(arg, n, 1 - bench.me);
}

static void gets(long n, void *arg)
{
    const struct stream *s = arg;
    for (long i = 1; i <= n; i++) {
        shmem_get64_nbi(s->private, s->symmetric, s->bytes / 8, 1);
        if (i % s->window == 0 || i == n)
            shmem_quiet();
    }
}

/* The number of messages that fill a window, at least one. */
static long window(size_t bytes)
{
    size_t fit = WINDOW_BYTES / bytes;
    return fit > WINDOW_MESSAGES ? WINDOW_MESSAGES : fit < 1 ? 1 : (long)fit;
}

static void report(const char *test, size_t bytes, double bytes_per_ns)
{
    bench_report(test, bytes, bench.me == 0 ? bytes_per_ns : 0, "GB/s");
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    size_t max = bench_size_max(argc, argv, 8);
    struct stream s = {bench_symmetric(max), bench_private(max), 0, 1};
    for (int i = 0; (s.bytes = bench_size(argc, argv, i, 8)) != 0; i++) {
        s.window = window(s.bytes);
        double bytes = (double)s.bytes;
        report("put_stream", s.bytes, bytes / bench_alone_ns(one_way, &s));
        report("get_stream", s.bytes, bytes / bench_alone_ns(gets, &s));
        report("put_both_ways", s.bytes, 2 * bytes / bench_together_ns(both_ways, &s));
    }
    free(s.private);
    shmem_free(s.symmetric);
    bench_end();
    return 0;
}
