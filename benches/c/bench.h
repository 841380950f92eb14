/* Measures a SHMEM program: alone (PE 0 works, the others wait in a barrier) or together (every PE runs the
 * body, and PE 0's clock is used). It uses plain OpenSHMEM 1.4 without extensions, so any oshcc compiles it; parts
 * that need 1.5 are omitted if the headers are older, and the program says so. */
#ifndef FERRITE_BENCH_H
#define FERRITE_BENCH_H

#define _GNU_SOURCE
#include <shmem.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "batch.h"

#define BENCH_PAGE 4096
#define BENCH_HAS_1_5 (SHMEM_MAJOR_VERSION > 1 || (SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION >= 5))
#define BENCH_HAS_1_6 (SHMEM_MAJOR_VERSION > 1 || (SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION >= 6))

static struct {
    int me, pes;
    struct batch_settings settings;
    long *agreed; /* symmetric: PE 0's decision for all PEs */
} bench;

/* Allocate symmetric memory on pages of its own, touched by its owner; without memory the job ends. */
static void *bench_symmetric(size_t bytes)
{
    size_t pages = (bytes + BENCH_PAGE - 1) / BENCH_PAGE * BENCH_PAGE;
    void *p = shmem_align(BENCH_PAGE, pages);
    if (!p) {
        fprintf(stderr, "no symmetric memory for %zu bytes; raise SHMEM_SYMMETRIC_SIZE\n", pages);
        shmem_global_exit(1);
    }
    memset(p, 0, pages);
    return p;
}

/* Allocate private memory with the same layout as bench_symmetric. */
static void *bench_private(size_t bytes)
{
    size_t pages = (bytes + BENCH_PAGE - 1) / BENCH_PAGE * BENCH_PAGE;
    void *p = aligned_alloc(BENCH_PAGE, pages);
    if (!p) {
        fprintf(stderr, "no memory for %zu bytes\n", pages);
        shmem_global_exit(1);
    }
    memset(p, 1, pages);
    return p;
}

/* Print where this PE may run: the harness checks that bound PEs were bound, and to which cores. The CPUs are printed as the
 * kernel lists them, since a list has room for any number. */
static void bench_affinity(void)
{
    struct utsname host;
    size_t room = 0;
    char *line = NULL, cpus[] = "Cpus_allowed_list:";
    FILE *status = fopen("/proc/self/status", "r");
    while (status && uname(&host) == 0 && getline(&line, &room, status) > 0)
        if (strncmp(line, cpus, sizeof cpus - 1) == 0)
            printf("affinity %d %s %s", bench.me, host.nodename, line + sizeof cpus);
    fflush(stdout);
    free(line);
    if (status)
        fclose(status);
}

/* Start SHMEM and print where each PE is. */
static void bench_start_at(int argc, char **argv, int level)
{
    int provided = -1;
    bench.settings = batch_arguments(argc, argv);
    if (shmem_init_thread(level, &provided) != 0 || provided < level) {
        fprintf(stderr, "thread level %d was asked for, %d is provided\n", level, provided);
        exit(2);
    }
    bench.me = shmem_my_pe();
    bench.pes = shmem_n_pes();
    bench.agreed = bench_symmetric(sizeof *bench.agreed);
    bench_affinity();
    shmem_barrier_all();
}

/* The same for a program with one thread. */
static void bench_start(int argc, char **argv)
{
    bench_start_at(argc, argv, SHMEM_THREAD_SINGLE);
}

static void bench_end(void)
{
    shmem_barrier_all();
    shmem_free(bench.agreed);
    shmem_finalize();
}

static void bench_need_pes(int pes)
{
    if (bench.pes < pes) {
        fprintf(stderr, "needs %d PEs, was started with %d\n", pes, bench.pes);
        shmem_global_exit(2);
    }
}

/* PE 0's value, on every PE. The second barrier keeps PE 0 from writing the next value before all PEs have read this one. */
static long bench_agree(long value)
{
    if (bench.me == 0)
        for (int pe = 0; pe < bench.pes; pe++)
            shmem_long_p(bench.agreed, value, pe);
    shmem_barrier_all();
    long agreed = *(volatile long *)bench.agreed;
    shmem_barrier_all();
    return agreed;
}

/* Nanoseconds of one operation of PE 0 while the others wait in a barrier. The value is valid on PE 0; elsewhere it is 0. */
static double bench_alone_ns(batch_body body, void *arg)
{
    double ns = 0;
    shmem_barrier_all();
    if (bench.me == 0)
        ns = batch_alone_ns(bench.settings, body, arg);
    shmem_barrier_all();
    return ns;
}

/* The same with the tail. */
static struct batch_time bench_alone(batch_body body, void *arg)
{
    struct batch_time time = {0, 0, 0};
    shmem_barrier_all();
    if (bench.me == 0)
        time = batch_alone(bench.settings, body, arg);
    shmem_barrier_all();
    return time;
}

static double bench_together_elapsed_ns(batch_body body, void *arg, long n)
{
    shmem_barrier_all();
    return batch_elapsed_ns(body, arg, n);
}

static double bench_together_shortest_ns(batch_body body, void *arg, long n)
{
    double shortest = bench_together_elapsed_ns(body, arg, n);
    for (int i = 1; i < BATCH_TRIES; i++) {
        double took = bench_together_elapsed_ns(body, arg, n);
        shortest = took < shortest ? took : shortest;
    }
    return shortest;
}

/* Nanoseconds of one operation that all PEs execute, by PE 0's clock; elsewhere by this PE's own. `size` is set to the operations
 * of a batch. */
static double bench_together_sized_ns(batch_body body, void *arg, long *size)
{
    static double ns[BATCHES_MAX];
    long n = 1, next;
    double took;
    do {
        took = bench_together_shortest_ns(body, arg, n);
        next = bench_agree(batch_try_next(n, took, bench.settings.batch_ns));
        n = next ? next : n;
    } while (next);
    n = bench_agree(batch_scale(n, took, bench.settings.batch_ns));
    bench_together_elapsed_ns(body, arg, n);
    for (int i = 0; i < bench.settings.batches; i++)
        ns[i] = bench_together_elapsed_ns(body, arg, n) / (double)n;
    *size = n;
    return batch_median(ns, bench.settings.batches);
}

/* Only the median. */
static double bench_together_ns(batch_body body, void *arg)
{
    long n;
    return bench_together_sized_ns(body, arg, &n);
}

/* The median, and the tail. */
static struct batch_time bench_together(batch_body body, void *arg)
{
    long n;
    struct batch_time time = {bench_together_sized_ns(body, arg, &n), 0, 0};
    shmem_barrier_all();
    batch_tail(&time, body, arg, batch_singles(n));
    shmem_barrier_all();
    return time;
}

/* Half of it, if an operation is a round trip. */
static struct batch_time bench_half(struct batch_time time)
{
    return (struct batch_time){time.ns / 2, time.p99_ns / 2, time.max_ns / 2};
}

static void bench_report(const char *test, size_t bytes, double value, const char *unit)
{
    if (bench.me == 0)
        batch_report(test, bytes, value, unit);
}

static void bench_report_time(const char *test, size_t bytes, struct batch_time time)
{
    if (bench.me == 0)
        batch_report_time(test, bytes, time);
}

/* Print that this library lacks what the test needs. */
static void bench_skip(const char *test, const char *needs)
{
    if (bench.me == 0)
        printf("skipped %s: it needs %s\n", test, needs);
    fflush(stdout);
}

/* Convert nanoseconds per operation to millions per second; PEs that did not measure have nothing to convert. */
static double bench_millions(double ns)
{
    return ns > 0 ? 1e3 / ns : 0;
}

/* The i-th of the sizes given after the settings, each a multiple of `unit` bytes, or 0 after the last. */
static size_t bench_size(int argc, char **argv, int i, size_t unit)
{
    if (3 + i >= argc)
        return 0;
    size_t bytes = strtoull(argv[3 + i], NULL, 10);
    if (bytes == 0 || bytes % unit != 0) {
        fprintf(stderr, "size %s: not a multiple of %zu bytes, or none\n", argv[3 + i], unit);
        shmem_global_exit(2);
    }
    return bytes;
}

/* The largest of those sizes. */
static size_t bench_size_max(int argc, char **argv, size_t unit)
{
    size_t max = 0, bytes;
    for (int i = 0; (bytes = bench_size(argc, argv, i, unit)) != 0; i++)
        max = bytes > max ? bytes : max;
    return max;
}

static inline void bench_unused(void)
{
    (void)bench_alone;
    (void)bench_alone_ns;
    (void)bench_end;
    (void)bench_half;
    (void)bench_millions;
    (void)bench_need_pes;
    (void)bench_private;
    (void)bench_report;
    (void)bench_report_time;
    (void)bench_size_max;
    (void)bench_skip;
    (void)bench_start;
    (void)bench_start_at;
    (void)bench_together;
    (void)bench_together_ns;
    (void)bench_unused;
}

#endif
