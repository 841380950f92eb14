/* Things that programs do to libraries: closed descriptors, limits, forks from several threads. Prints "odd ok". */
#include "probe.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int data = 42;
static char bss[8 << 20];

static int memory(void) {
    int file = memfd_create("odd", 0);
    CHECK(file >= 0 && ftruncate(file, probe_len()) == 0);
    return file;
}

static void child_has_its_own(void) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(data == 7 && bss[5 << 20] == 3 && bss[6 << 20] == 0);
        data = 8;
        bss[5 << 20] = 4;
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(data == 7 && bss[5 << 20] == 3);
}

/* A daemon closes all descriptors that it does not know, and opens another file in their place. */
static void descriptors_are_closed(void) {
    data = 7;
    bss[5 << 20] = 3;
    CHECK(probe_share(memory(), 0) == 0);
    for (int descriptor = 3; descriptor < 64; descriptor++)
        close(descriptor);
    child_has_its_own();
    while (open("/dev/zero", O_RDWR) < 32)
        ;
    child_has_its_own();
    CHECK(probe_unshare() == 0);
    CHECK(data == 7 && bss[5 << 20] == 3 && bss[6 << 20] == 0);
    for (int descriptor = 3; descriptor < 64; descriptor++)
        close(descriptor);
}

static void bad_files_are_refused(void) {
    int file = memory();
    CHECK(probe_share(file, 4096) == -EINVAL); /* too short from there on */
    CHECK(probe_share(file, UINT64_MAX - 4095) == -EINVAL);
    CHECK(ftruncate(file, 2 * probe_len()) == 0);
    CHECK(probe_share(file, 100) == -EINVAL); /* no page */
    struct rlimit old, low;
    CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
    low = old;
    low.rlim_cur = probe_len() - 1;
    CHECK(setrlimit(RLIMIT_FSIZE, &low) == 0);
    CHECK(probe_share(file, 0) == -EINVAL); /* and no SIGXFSZ */
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
    int reading = open("/proc/self/exe", O_RDONLY);
    CHECK(reading >= 0 && probe_share(reading, 0) < 0);
    data = 9; /* is unchanged */
    CHECK(data == 9 && probe_share(file, 0) == 0 && data == 9 && probe_unshare() == 0);
    close(reading);
    close(file);
}

#ifndef STATIC_LIBC
/* Forks and moves at the same time. A forked child inherits one thread, and every lock in a state that it can use. */
static int stop;
static void *mover(void *argument) {
    int file = memory();
    while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
        CHECK(probe_share(file, 0) >= 0);
        CHECK(probe_unshare() >= 0);
    }
    close(file);
    return argument;
}
static void forks_meet_moves(void) {
    pthread_t thread;
    data = 7;
    bss[5 << 20] = 3;
    CHECK(pthread_create(&thread, 0, mover, 0) == 0);
    for (int round = 0; round < 50; round++)
        child_has_its_own();
    __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
    CHECK(pthread_join(thread, 0) == 0);
    CHECK(data == 7 && bss[5 << 20] == 3);
}
#endif

int main(void) {
    alarm(120);
    descriptors_are_closed();
    bad_files_are_refused();
#ifndef STATIC_LIBC
    forks_meet_moves();
#endif
    puts("odd ok");
    return 0;
}
