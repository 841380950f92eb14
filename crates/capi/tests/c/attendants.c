// Prints which threads of the library each PE has once all have communicated, and whether what they did is right.
// Given the number of a PE, as by a wrapper that sets a variable for some of them, that one chooses to serve its peers alone.
#define _GNU_SOURCE
#include <dirent.h>
#include "check.h"

static long sum, copies[64];

static void print_threads(int me)
{
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue;
        if (fscanf(file, "%31s", name) == 1 && strncmp(name, "ferrite-", 8) == 0) printf("PE %d has %s\n", me, name);
        fclose(file);
    }
    closedir(tasks);
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
    print_threads(me);
    end();
    return 0;
}
