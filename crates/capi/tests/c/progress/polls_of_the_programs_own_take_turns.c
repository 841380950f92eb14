// pes: 4
// env: FERRITE_WAIT=turns
// needs: mapped
// PEs that share a core and poll memory without calls: a token goes round, and each PE has a thread that makes them take turns,
// which ends at finalize.
#include "check.h"
#include <dirent.h>

static volatile long token;

static int threads(const char *wanted)
{
    int found = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue;
        found += fgets(name, sizeof name, file) != NULL && strncmp(name, wanted, strlen(wanted)) == 0;
        fclose(file);
    }
    closedir(tasks);
    return found;
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    /* A thread has its name once it has run, and leaves the list some time after it has ended. */
    while (sysconf(_SC_NPROCESSORS_ONLN) < npes && threads("ferrite-turns") != 1) usleep(1000);
    volatile long *next = shmem_ptr((void *)&token, (me + 1) % npes);
    for (long round = 1; round <= 20; round++) {
        if (me == 0) *next = round;
        while (token < round) continue;
        if (me != 0) *next = round;
    }
    shmem_barrier_all();
    end();
    while (threads("ferrite-turns") != 0) usleep(1000);
    return 0;
}
