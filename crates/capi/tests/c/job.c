/* A job for the tests of deaths and signals: `job ACT PLACE`. All PEs synchronise and print a line; then the last PE acts while
 * the others stay in PLACE. */
#include "check.h"
#include <signal.h>

static long word, lock;

/* The places where PEs stay until they are ended. */
static void stay(const char *place)
{
    if (strcmp(place, "barrier") == 0) shmem_barrier_all();
    if (strcmp(place, "lock") == 0) shmem_set_lock(&lock);
    if (strcmp(place, "wait") == 0) shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
    if (strcmp(place, "finalize") == 0) shmem_finalize();
    if (strcmp(place, "compute") == 0)
        for (volatile unsigned long x = 1;; x = x * 3 + 1) {}
    for (;;) pause();
}

static void act(const char *what)
{
    if (strcmp(what, "sigkill") == 0) raise(SIGKILL);
    if (strcmp(what, "sigsegv") == 0) *(volatile int *)(uintptr_t)8 = 1;
    if (strcmp(what, "abort") == 0) abort();
    if (strcmp(what, "exit7") == 0) exit(7);
    if (strcmp(what, "_exit7") == 0) _exit(7);
    if (strcmp(what, "exit0") == 0) _exit(0);
    if (strcmp(what, "global_exit3") == 0) shmem_global_exit(3);
    if (strcmp(what, "end") == 0) return;
    stay("sleep");
}

int main(int argc, char **argv)
{
    int me, npes;
    CHECK(argc == 3);
    begin(&me, &npes);
    long *block = need(1 << 20);
    *block = me;
    if (me == npes - 1) shmem_set_lock(&lock);
    shmem_barrier_all();
    /* One write, so that lines of several PEs do not mix even without a launcher. */
    char line[64];
    int length = snprintf(line, sizeof line, "ready PE %d of %d pid %d.\n", me, npes, (int)getpid());
    if (write(1, line, (size_t)length) != length) return 9;
    if (strcmp(argv[1], "node") == 0) {
        printf("node of %d\n", shmem_team_n_pes(SHMEM_TEAM_SHARED));
        fflush(stdout);
    } else if (me == npes - 1 && strcmp(argv[1], "stay") != 0) {
        usleep(50000); // the others are on their way into PLACE
        act(argv[1]);
    } else if (strcmp(argv[1], "end") != 0) {
        stay(argv[2]);
    }
    if (me == npes - 1) shmem_clear_lock(&lock);
    end();
    return 0;
}
