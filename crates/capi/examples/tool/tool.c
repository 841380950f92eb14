/* Count a program's calls of OpenSHMEM, and print the counts at its end: for each PE, and in total.
 *
 * As a shared library, before an unchanged program:
 *
 *     oshcc -shared -fPIC -O2 -o libshmemtool.so tool.c rma.c atomics.c waiting.c collectives.c vendors.c
 *     oshrun -n 4 -x LD_PRELOAD=$PWD/libshmemtool.so ./program
 *
 * Or linked with it, also statically:
 *
 *     oshcc -static -o program program.c tool.c rma.c atomics.c waiting.c collectives.c vendors.c
 *
 * This file has the counters and the table; the others wrap routines. */

/* For on_exit. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct count {
    uint64_t calls, bytes;
};

static struct count counts[FAMILY_COUNT];
static int paused;
/* The number of inits without their finalize. */
static int depth;

#define FAMILY_TEXT(NAME) #NAME,
static const char *const names[FAMILY_COUNT] = {FAMILIES(FAMILY_TEXT)};

void tool_count(enum family family, size_t bytes) {
    if (__atomic_load_n(&paused, __ATOMIC_RELAXED))
        return;
    __atomic_fetch_add(&counts[family].calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts[family].bytes, bytes, __ATOMIC_RELAXED);
}

void shmem_pcontrol(int level, ...) {
    __atomic_store_n(&paused, level == 0, __ATOMIC_RELAXED);
    pshmem_pcontrol(level);
}

static void line(FILE *out, const char *name, const char *pe, struct count count) {
    fprintf(out, "%-20s %6s %14" PRIu64 " %18" PRIu64 "\n", name, pe, count.calls, count.bytes);
}

/* `all` has a row of counts for each PE. */
static void table(FILE *out, const struct count *all, int npes) {
    const char *wish = getenv("SHMEM_TOOL_PES");
    int each = wish == NULL || strcmp(wish, "0") != 0;
    struct count everything = {0, 0};
    fprintf(out, "%-20s %6s %14s %18s\n", "routine", "PE", "calls", "bytes");
    for (int family = 0; family < FAMILY_COUNT; family++) {
        struct count sum = {0, 0};
        for (int pe = 0; pe < npes; pe++) {
            sum.calls += all[pe * FAMILY_COUNT + family].calls;
            sum.bytes += all[pe * FAMILY_COUNT + family].bytes;
        }
        everything.calls += sum.calls;
        everything.bytes += sum.bytes;
        if (sum.calls == 0)
            continue;
        line(out, names[family], "all", sum);
        for (int pe = 0; each && pe < npes; pe++) {
            char number[16];
            snprintf(number, sizeof number, "%d", pe);
            line(out, "", number, all[pe * FAMILY_COUNT + family]);
        }
    }
    line(out, "total", "all", everything);
}

static void print(const struct count *all, int npes) {
    const char *path = getenv("SHMEM_TOOL_OUTPUT");
    FILE *out = path != NULL && *path != '\0' ? fopen(path, "w") : stderr;
    if (out == NULL) {
        fprintf(stderr, "shmem_tool: cannot write to %s, so the table is here\n", path);
        out = stderr;
    }
    table(out, all, npes);
    if (out != stderr && fclose(out) != 0)
        fprintf(stderr, "shmem_tool: the table in %s is not whole\n", path);
}

/* All PEs call this. Their counts go to PE 0, which prints them. The tool's own calls are not counted, since they use the second
 * names. */
static void report(void) {
    int me = pshmem_my_pe(), npes = pshmem_n_pes();
    struct count *all = pshmem_calloc(npes, sizeof counts);
    if (all == NULL) {
        if (me == 0)
            fprintf(stderr, "shmem_tool: there is no symmetric memory for the table\n");
        return;
    }
    pshmem_putmem(all + me * FAMILY_COUNT, counts, sizeof counts, 0);
    pshmem_barrier_all();
    if (me == 0)
        print(all, npes);
    pshmem_free(all);
    /* The library may be initialised again. */
    memset(counts, 0, sizeof counts);
}

/* An old program without finalize. A program that fails does not wait for the other PEs. */
static void at_exit(int status, void *unused) {
    (void)unused;
    if (status == 0 && depth > 0)
        report();
}

static void begin(void) {
    __atomic_fetch_add(&depth, 1, __ATOMIC_RELAXED);
}

static void end(void) {
    if (__atomic_sub_fetch(&depth, 1, __ATOMIC_RELAXED) == 0)
        report();
}

void shmem_init(void) {
    pshmem_init();
    begin();
}

int shmem_init_thread(int requested, int *provided) {
    int failed = pshmem_init_thread(requested, provided);
    if (!failed)
        begin();
    return failed;
}

/* Sandia's, which returns the level. */
int shmemx_init_thread(int required) {
    int provided = pshmemx_init_thread(required);
    begin();
    return provided;
}

/* A start by unique id. */
int shmemx_init_attr(unsigned int flags, shmemx_init_attr_t *attr) {
    int failed = pshmemx_init_attr(flags, attr);
    if (!failed)
        begin();
    return failed;
}

void start_pes(int npes) {
    int before;
    pshmem_query_initialized(&before);
    pstart_pes(npes);
    if (!before) {
        begin();
        on_exit(at_exit, NULL);
    }
}

void shmem_finalize(void) {
    end();
    pshmem_finalize();
}

/* Fortran programs initialise with names of their own. Their calls by C's names are counted. */
void pshmem_init_(void);
void pshmem_finalize_(void);
int64_t pshmemx_init_attr_(const int *flags, void *attr);

void shmem_init_(void) {
    pshmem_init_();
    begin();
}

int64_t shmemx_init_attr_(const int *flags, void *attr) {
    int64_t failed = pshmemx_init_attr_(flags, attr);
    if (!failed)
        begin();
    return failed;
}

void shmem_finalize_(void) {
    end();
    pshmem_finalize_();
}
