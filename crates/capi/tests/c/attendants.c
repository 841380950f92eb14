// Prints the service threads of the library on each PE when all PEs have communicated, and whether their results are correct. If the
// number of a PE is given, that PE serves its peers itself, as with a wrapper that sets a variable for some PEs.
#define _GNU_SOURCE
#include <dirent.h>
#include "check.h"

static long sum, copies[64];

/* Number of the library's service threads, which are printed to `to` if that is a file. */
static int print_threads(int me, FILE *to)
{
    int found = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue;
        if (fscanf(file, "%31s", name) == 1 && strncmp(name, "ferrite-", 8) == 0) {
            if (to != NULL) fprintf(to, "PE %d has %s\n", me, name);
            found++;
        }
        fclose(file);
    }
    closedir(tasks);
    return found;
}

int main(int argc, char **argv)
{
    int me, npes;
    const char *pe = getenv("FERRITE_PE");
    if (argc > 1 && pe != NULL && strcmp(pe, argv[1]) == 0) setenv("FERRITE_PROGRESS", "program", 1);
    begin(&me, &npes);
    for (int pe = 0; pe < npes; pe++) {
        shmem_long_atomic_add(&sum, me + 1, pe);
        shmem_long_p(&copies[me], me + 1, pe);
    }
    shmem_barrier_all();
    CHECK_EQ(sum, (long)npes * (npes + 1) / 2);
    for (int pe = 0; pe < npes; pe++) {
        CHECK_EQ(copies[pe], pe + 1);
        CHECK_EQ(shmem_long_g(&copies[me], pe), me + 1);
    }
    /* A thread has its name once it has run. */
    const char *progress = getenv("FERRITE_PROGRESS");
    while (progress != NULL && strcmp(progress, "auto") == 0 && print_threads(me, NULL) == 0) usleep(1000);
    print_threads(me, stdout);
    end();
    return 0;
}
