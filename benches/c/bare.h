/* What the programs without SHMEM share: processes that are pinned, and a mapping between them. */
#ifndef FERRITE_BARE_H
#define FERRITE_BARE_H

#define _GNU_SOURCE
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

/* Pins this process to the nth processor that it may use now, counted from 0 and around. */
static void bare_pin(int nth)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        bare_fail("sched_getaffinity");
    nth %= CPU_COUNT(&allowed);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && nth-- == 0)
            CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        bare_fail("sched_setaffinity");
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

/* Forks a child that dies with its parent, whatever happens: in the child 0, in the parent its id. */
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
