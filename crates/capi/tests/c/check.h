/* What every program of the suite shares: checks that name the PE, the place, the expression and the values.
 *
 * A failed check prints one line and ends the process with status 1; the launcher then ends the job. Nothing here
 * depends on the library beyond shmem_my_pe and shmem_n_pes, so a broken routine cannot hide its own failure. */
#ifndef CHECK_H
#define CHECK_H

#include <shmem.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The PE that failure lines name; -1 outside init and finalize. */
static inline int *check_pe(void)
{
    static int pe = -1;
    return &pe;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4), noreturn, cold))
#endif
static inline void check_fail(const char *file, int line, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "PE %d: %s:%d: %s\n", *check_pe(), file, line, text);
    fflush(NULL);
    _exit(1);
}

/* `...` is a printf format with its arguments. */
#define FAIL(...) check_fail(__FILE__, __LINE__, __VA_ARGS__)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) FAIL("%s does not hold", #condition);                                                        \
    } while (0)

/* Compares two numbers of any arithmetic type; `what` and `index` say which one in a loop of many. */
#define CHECK_NTH(what, index, got, want)                                                                              \
    do {                                                                                                               \
        long double got_ = (long double)(got), want_ = (long double)(want);                                            \
        if (got_ != want_)                                                                                             \
            FAIL("%s: element %ld: %s is %.21Lg, expected %.21Lg", what, (long)(index), #got, got_, want_);            \
    } while (0)

#define CHECK_EQ(got, want)                                                                                            \
    do {                                                                                                               \
        long double got_ = (long double)(got), want_ = (long double)(want);                                            \
        if (got_ != want_) FAIL("%s is %.21Lg, expected %.21Lg", #got, got_, want_);                                   \
    } while (0)

static inline void begin(int *me, int *npes)
{
    shmem_init();
    *me = shmem_my_pe();
    *npes = shmem_n_pes();
    *check_pe() = *me;
}

static inline void end(void)
{
    *check_pe() = -1;
    shmem_finalize();
}

/* A symmetric block that must be there. */
#define need(bytes) check_need(__FILE__, __LINE__, bytes)
static inline void *check_need(const char *file, int line, size_t bytes)
{
    void *block = shmem_malloc(bytes);
    if (block == NULL) check_fail(file, line, "shmem_malloc(%zu) is NULL", bytes);
    return block;
}

/* Milliseconds that only bound how much a test does; no check depends on them. */
static inline long clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

/* At the end of a batch of work: all go on, or none, as PE 0 has it. `go` is symmetric. */
static inline void all_go_on(int *go, int more, int me, int npes)
{
    for (int pe = 0; me == 0 && pe < npes; pe++) shmem_int_p(go, more, pe);
    shmem_barrier_all();
}

#endif
