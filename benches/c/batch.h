/* Batches, medians and the result line: shared by all measured programs, with or without SHMEM.
 *
 * A body executes n operations back to back. Its batch is so long that the time to read the clock is negligible;
 * the median over batches ignores batches that were disturbed by an interrupt or another process. */
#ifndef FERRITE_BATCH_H
#define FERRITE_BATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*batch_body)(long n, void *arg);

#define BATCHES_MAX 1001

/* While the length of a batch is searched, each try is the shortest of this many: a single disturbed try would end the search with
 * far too few operations, and the result would be the resolution of the clock. */
#define BATCH_TRIES 3

/* Minimum and maximum number of operations that are timed one by one; between these, as many as in five batches. */
#define SINGLES_MIN 21
#define SINGLES_MAX 10001

/* The time of one operation: the median over batches; and of operations timed one by one, each with one reading of the clock, the
 * 99th percentile and the longest. */
struct batch_time {
    double ns, p99_ns, max_ns;
};

/* The first arguments of every program: the number of batches, and the length of one. */
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

/* Read `program BATCHES BATCH_US ...`; a missing or invalid value ends the program with its usage. */
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

/* The median of n >= 1 values, which are sorted in place. */
static double batch_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, batch_order);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The value that is not exceeded by this percentage of n >= 1 values, which are sorted in place. */
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

/* One step of the search for the number of operations that fills a batch: 0 if `n` took long enough to extrapolate from, otherwise
 * the next number to try. It doubles, instead of one large step, so that a slow first operation has no lasting effect. */
static long batch_try_next(long n, double elapsed_ns, double batch_ns)
{
    return elapsed_ns < batch_ns / 4 && n < (1L << 40) ? n * 2 : 0;
}

static long batch_scale(long n, double elapsed_ns, double batch_ns)
{
    long scaled = (long)((double)n * batch_ns / (elapsed_ns > 1 ? elapsed_ns : 1));
    return scaled > 0 ? scaled : 1;
}

/* The number of operations that are timed one by one if `n` fill a batch. */
static int batch_singles(long n)
{
    return n > SINGLES_MAX / 5 ? SINGLES_MAX : 5 * n < SINGLES_MIN ? SINGLES_MIN : (int)(5 * n);
}

/* Time operations one by one and add the results. Nothing is synchronised with other PEs here, so all PEs may do the same at the
 * same time. */
static void batch_tail(struct batch_time *time, batch_body body, void *arg, int singles)
{
    static double ns[SINGLES_MAX];
    for (int i = 0; i < singles; i++)
        ns[i] = batch_elapsed_ns(body, arg, 1);
    time->p99_ns = batch_percentile(ns, singles, 99);
    time->max_ns = ns[singles - 1];
}

/* Nanoseconds of one operation, measured by this process alone: find the batch, run one as warm-up, then take the median. `size`
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

/* Only the median: for rates. */
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

/* A line for the harness: a value without a tail. */
static void batch_report(const char *test, size_t bytes, double value, const char *unit)
{
    printf("bench %s %zu %.6g %s\n", test, bytes, value, unit);
    fflush(stdout);
}

/* A line for the harness: a time with its tail. */
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
