// Stopping another PE in the middle of a job, if its process is on this machine.
#ifndef STOP_H
#define STOP_H

#include "check.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int process;
// Of what `process` is a number.
static unsigned long long numbers;

static unsigned long long whose_numbers(void)
{
    struct stat space;
    unsigned long long boot = 0;
    FILE *id = fopen("/proc/sys/kernel/random/boot_id", "r");
    CHECK(id != NULL && fscanf(id, "%8llx", &boot) == 1);
    fclose(id);
    CHECK(stat("/proc/self/ns/pid", &space) == 0);
    return boot << 32 | (space.st_ino & 0xffffffff);
}

// Each PE, before a barrier.
static void may_be_stopped(void)
{
    process = (int)getpid();
    numbers = whose_numbers();
}

// A process has not yet stopped when kill returns.
static int is_stopped(pid_t pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *stat = fopen(path, "r");
    CHECK(stat != NULL && fscanf(stat, "%*d %*[^)]) %c", &state) == 1);
    fclose(stat);
    return state == 'T';
}

// The process of a PE; 0 if it cannot be stopped.
static pid_t process_of(int pe)
{
    pid_t pid = shmem_int_g(&process, pe);
    if (shmem_ulonglong_g(&numbers, pe) == numbers) return pid;
    printf("skipped: stopping a PE: it is on another host\n");
    return 0;
}

static void stop(pid_t pid)
{
    CHECK(pid == 0 || kill(pid, SIGSTOP) == 0);
    while (pid != 0 && !is_stopped(pid)) usleep(1000);
}

// It must not have continued by itself.
static void go_on(pid_t pid)
{
    CHECK(pid == 0 || (is_stopped(pid) && kill(pid, SIGCONT) == 0));
}

#endif
