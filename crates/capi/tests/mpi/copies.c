/* A program with its own copy of a library that Ferrite uses too: `copies WHEN FILE` loads FILE before or after init. PE 0 prints how many
 * copies of the library there are. */
#include "../c/check.h"
#include <dlfcn.h>

static int cell;

static void load(const char *file)
{
    if (dlopen(file, RTLD_NOW | RTLD_LOCAL) == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
}

/* The files in which this name of a library occurs. */
static int copies(const char *name)
{
    char line[4096], last[4096] = "";
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps)) {
        const char *path = strchr(line, '/');
        if (path == NULL || strstr(path, name) == NULL || strcmp(path, last) == 0) continue;
        strcpy(last, path);
        count++;
    }
    fclose(maps);
    return count;
}

int main(int count, char **args)
{
    if (count != 3) return 2;
    char name[256];
    const char *base = strrchr(args[2], '/') + 1;
    snprintf(name, sizeof name, "/%.*s", (int)(strstr(base, ".so") - base + 3), base);
    int is_before = strcmp(args[1], "before") == 0;
    if (is_before) load(args[2]);
    shmem_init();
    int me = *check_pe() = shmem_my_pe(), npes = shmem_n_pes();
    if (!is_before) load(args[2]);
    for (int round = 1; round <= 100; round++) {
        shmem_int_p(&cell, me + round, (me + 1) % npes);
        shmem_barrier_all();
        CHECK_EQ(cell, (me + npes - 1) % npes + round);
        shmem_barrier_all();
    }
    if (me == 0) printf("%d copies\n", copies(name));
    shmem_finalize();
    return 0;
}
