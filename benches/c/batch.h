/* Batches, medians and the result line: what every measured program shares, with or without SHMEM.
 *
 * A body does n operations back to back. Its batch is long enough that reading the clock costs nothing beside it;
 * the median over batches drops the batches that an interrupt or another process fell into. */
#ifndef FERRITE_BATCH_H
#define FERRITE_BATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*batch_body)(long n, void *arg);

#define BATCHES_MAX 1001

/* While the length of a batch is sought, each try is the shortest of this many: one that another process fell into
 * would end the search with far too few operations, and the clock's own step would be the result. */
#define BATCH_TRIES 3

/* Operations that are timed one by one, at least and at most: as many as five batches have, within these. */
#define SINGLES_MIN 21
#define SINGLES_MAX 10001

/* What one operation takes: the median over batches; and of operations that are timed one by one, each with one reading of
 * the clock in it, the 99th percentile and the longest. */
struct batch_time {
    double ns, p99_ns, max_ns;
};

/* The arguments that every program takes first: how many batches, and how long one shall be. */
struct batch_settings {
    int batches;
    double batch_ns;
};

static double batch_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Reads `program BATCHES BATCH_US ...`; a missing or senseless value ends the program with what was wanted. */
static struct batch_settings batch_arguments(int argc, char **argv)
{
    struct batch_settings settings = {0, 0};
    if (argc >= 3) {
        settings.batches = atoi(argv[1]);
        settings.batch_ns = atof(argv[2]) * 1e3;
    }
    if (settings.batches < 1 || settings.batches > BATCHES_MAX || settings.batch_ns <= 0) {
        fprintf(stderr, "usage: %s BATCHES(1..%d) BATCH_US(> 0) [more]\n", argv[0], BATCHES_MAX);
        exit(2);
    }
    return settings;
}

static int batch_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of n >= 1 values, which it sorts in place. */
static double batch_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, batch_order);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The value that so many per cent of n >= 1 values do not exceed; sorts them in place. */
static double batch_percentile(double *values, int n, int percent)
{
    qsort(values, (size_t)n, sizeof *values, batch_order);
    return values[(long)(n - 1) * percent / 100];
}

static double batch_elapsed_ns(batch_body body, void *arg, long n)
{
    double start = batch_now_ns();
    body(n, arg);
    return batch_now_ns() - start;
}

static double batch_shortest_ns(batch_body body, void *arg, long n)
{
    double shortest = batch_elapsed_ns(body, arg, n);
    for (int i = 1; i < BATCH_TRIES; i++) {
        double took = batch_elapsed_ns(body, arg, n);
        shortest = took < shortest ? took : shortest;
    }
    return shortest;
}

/* One step towards the number of operations that fills a batch: 0 when `n` took long enough to scale from, else the
 * next number to try. Doubling (not one big leap) so that a slow first operation cannot fool it for long. */
static long batch_try_next(long n, double elapsed_ns, double batch_ns)
{
    return elapsed_ns < batch_ns / 4 && n < (1L << 40) ? n * 2 : 0;
}

static long batch_scale(long n, double elapsed_ns, double batch_ns)
{
    long scaled = (long)((double)n * batch_ns / (elapsed_ns > 1 ? elapsed_ns : 1));
    return scaled > 0 ? scaled : 1;
}

/* How many operations are timed one by one where `n` fill a batch. */
static int batch_singles(long n)
{
    return n > SINGLES_MAX / 5 ? SINGLES_MAX : 5 * n < SINGLES_MIN ? SINGLES_MIN : (int)(5 * n);
}

/* Times operations one by one and adds what that tells; nothing that is agreed with others happens here, so that all PEs
 * may do the same at a time. */
static void batch_tail(struct batch_time *time, batch_body body, void *arg, int singles)
{
    static double ns[SINGLES_MAX];
    for (int i = 0; i < singles; i++)
        ns[i] = batch_elapsed_ns(body, arg, 1);
    time->p99_ns = batch_percentile(ns, singles, 99);
    time->max_ns = ns[singles - 1];
}

/* Nanoseconds of one operation, measured by this process alone: find the batch, run one to warm up, then the median. `size`
 * is set to the operations of a batch. */
static double batch_sized_ns(struct batch_settings settings, batch_body body, void *arg, long *size)
{
    static double ns[BATCHES_MAX];
    long n = 1, next;
    double took;
    while ((next = batch_try_next(n, took = batch_shortest_ns(body, arg, n), settings.batch_ns)) != 0)
        n = next;
    n = batch_scale(n, took, settings.batch_ns);
    body(n, arg);
    for (int i = 0; i < settings.batches; i++)
        ns[i] = batch_elapsed_ns(body, arg, n) / (double)n;
    *size = n;
    return batch_median(ns, settings.batches);
}

/* The median alone: for rates. */
static double batch_alone_ns(struct batch_settings settings, batch_body body, void *arg)
{
    long n;
    return batch_sized_ns(settings, body, arg, &n);
}

/* The median, and the tail. */
static struct batch_time batch_alone(struct batch_settings settings, batch_body body, void *arg)
{
    long n;
    struct batch_time time = {batch_sized_ns(settings, body, arg, &n), 0, 0};
    batch_tail(&time, body, arg, batch_singles(n));
    return time;
}

/* A line that the harness reads: a value without a tail. */
static void batch_report(const char *test, size_t bytes, double value, const char *unit)
{
    printf("bench %s %zu %.6g %s\n", test, bytes, value, unit);
    fflush(stdout);
}

/* The other one: a time with its tail. */
static void batch_report_time(const char *test, size_t bytes, struct batch_time time)
{
    printf("bench %s %zu %.6g ns %.6g %.6g\n", test, bytes, time.ns, time.p99_ns, time.max_ns);
    fflush(stdout);
}

/* Not every program uses every helper; this keeps -Wunused-function useful for the programs' own functions. */
static inline void batch_unused(void)
{
    (void)batch_alone;
    (void)batch_alone_ns;
    (void)batch_arguments;
    (void)batch_report;
    (void)batch_report_time;
    (void)batch_shortest_ns;
    (void)batch_unused;
}

#endif
