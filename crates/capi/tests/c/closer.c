/* PEs that close descriptors that they did not open: `closer DIRECTORY THEN`. All PEs synchronise, close all descriptors from 3
 * on, open files of the directory under their numbers, and then call the library as THEN says. */
#include "check.h"
#include <fcntl.h>

enum { FILES = 64 };

static long word;

static int create(const char *directory, const char *what, int number, int me)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%d-%d", directory, what, me, number);
    return open(path, O_CREAT | O_RDWR, 0600);
}

/* Not a call of the library: no PE may be in it when the first descriptor is closed. */
static void meet(const char *directory, int me, int npes)
{
    close(create(directory, "here", 0, me));
    for (int pe = 0; pe < npes; pe++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/here-%d-0", directory, pe);
        while (access(path, F_OK) != 0) usleep(1000);
    }
}

int main(int argc, char **argv)
{
    int me, npes;
    CHECK(argc == 3);
    begin(&me, &npes);
    const char *then = argv[2];
    if (strcmp(then, "first") != 0) {
        shmem_long_p(&word, 1, (me + 1) % npes);
        shmem_barrier_all();
    }
    meet(argv[1], me, npes);
    for (int number = 3; number < 1024; number++) close(number);
    for (int number = 0; number < FILES; number++) CHECK(create(argv[1], "file", number, me) >= 3);
    if (strcmp(then, "put") == 0 || strcmp(then, "first") == 0) {
        shmem_long_p(&word, 2, (me + 1) % npes);
        shmem_quiet();
        shmem_barrier_all();
    }
    if (strcmp(then, "wait") == 0) shmem_long_wait_until(&word, SHMEM_CMP_EQ, 3);
    /* The service thread finds that its descriptor to sleep on is closed. */
    if (strcmp(then, "compute") == 0) sleep(1);
    end();
    return 0;
}
