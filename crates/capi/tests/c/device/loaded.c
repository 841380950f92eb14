// CUDA's driver is loaded if the program asks for device memory, and not otherwise, although it can be found.
// pes: 1 2
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// each: ASKED = 0 | 1
// flags: -ldl
#include "device.h"

/* Whether a file with this part in its name is mapped. */
static int is_mapped(const char *part)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    char line[4096];
    int found = 0;
    while (fgets(line, sizeof line, maps)) found |= strstr(line, part) != NULL;
    fclose(maps);
    return found;
}

int main(void)
{
    int asked = atoi(getenv("ASKED")), provided;
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_SINGLE | (asked ? SHMEM_DEVICE_HOST_INIT : 0), &provided), 0);
    CHECK_EQ(provided, asked ? SHMEM_DEVICE_HOST_INIT : 0);
    int me = shmem_my_pe(), npes = shmem_n_pes();
    *check_pe() = me;
    long *word = shmem_calloc(1, sizeof *word);
    shmem_long_atomic_inc(word, (me + 1) % npes);
    shmem_barrier_all();
    CHECK_EQ(*word, 1);
    CHECK(is_mapped("libc.so"));
    CHECK_EQ(is_mapped("libcuda"), asked);
    shmem_finalize();
    return 0;
}
