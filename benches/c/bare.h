/* Shared by the programs without SHMEM: pinned processes, and a mapping between them. */
#ifndef FERRITE_BARE_H
#define FERRITE_BARE_H

#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch.h"

static void bare_fail(const char *what)
{
    perror(what);
    exit(1);
}

#define CPUS_MAX (1 << 20)

/* The CPUs that this process may use now, in a set with room for `*cpus`: as many as this kernel needs. */
static cpu_set_t *bare_allowed(int *cpus)
{
    for (*cpus = CPU_SETSIZE; *cpus <= CPUS_MAX; *cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC(*cpus);
        if (set && sched_getaffinity(0, CPU_ALLOC_SIZE(*cpus), set) == 0)
            return set;
        if (!set || errno != EINVAL)
            break;
        CPU_FREE(set);
    }
    bare_fail("sched_getaffinity");
    return NULL;
}

/* Read one list, such as 0-3,64, into a set with room for `cpus`. */
static void bare_listed(const char *list, cpu_set_t *set, int cpus)
{
    CPU_ZERO_S(CPU_ALLOC_SIZE(cpus), set);
    for (const char *at = list;;) {
        char *end;
        long first = strtol(at, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (end == at || first < 0 || last < first || last >= cpus || !strchr(",;", *end)) {
            fprintf(stderr, "BENCHES_CPUS: '%s' does not begin with a list of cpus\n", list);
            exit(2);
        }
        for (long cpu = first; cpu <= last; cpu++)
            CPU_SET_S((size_t)cpu, CPU_ALLOC_SIZE(cpus), set);
        if (*end != ',')
            return;
        at = end + 1;
    }
}

/* The nth list in BENCHES_CPUS, counted from 0 and wrapping around; NULL if there are none. */
static const char *bare_cpus(int nth)
{
    const char *first = getenv("BENCHES_CPUS"), *at = first;
    if (!first || !*first)
        return NULL;
    while (nth-- > 0) {
        at = strchr(at, ';');
        at = at ? at + 1 : first;
    }
    return at;
}

/* Pin this process to the CPUs of the nth PE, given by the harness in BENCHES_CPUS; without that, to the nth CPU that it may use
 * now, counted from 0 and wrapping around. */
static void bare_pin(int nth)
{
    int cpus;
    cpu_set_t *set = bare_allowed(&cpus);
    size_t size = CPU_ALLOC_SIZE(cpus);
    const char *list = bare_cpus(nth);
    if (list) {
        bare_listed(list, set, cpus);
    } else {
        nth %= CPU_COUNT_S(size, set);
        for (int cpu = 0; cpu < cpus; cpu++)
            if (CPU_ISSET_S((size_t)cpu, size, set) && nth-- != 0)
                CPU_CLR_S((size_t)cpu, size, set);
    }
    if (sched_setaffinity(0, size, set) != 0)
        bare_fail("sched_setaffinity");
    CPU_FREE(set);
}

/* Zeroed memory that forked children share. */
static void *bare_shared(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        bare_fail("mmap");
    memset(p, 0, bytes);
    return p;
}

/* Fork a child that dies with its parent in any case. Return 0 in the child, and its id in the parent. */
static pid_t bare_fork(void)
{
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        bare_fail("fork");
    if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
        _exit(1);
    return child;
}

static inline void bare_unused(void)
{
    (void)bare_fork;
    (void)bare_pin;
    (void)bare_shared;
    (void)bare_unused;
}

#endif
