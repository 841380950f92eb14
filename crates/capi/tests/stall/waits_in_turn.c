// The last PE computes while the others wait for it, then they compute while it waits. Prints a line for each PE.
#include <shmem.h>
#include <stdio.h>
#include <time.h>

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void compute(void)
{
    for (long end = now_ms() + 5000; now_ms() < end;)
        ;
}

int main(void)
{
    shmem_init();
    const int is_last = shmem_my_pe() == shmem_n_pes() - 1;
    if (is_last) compute();
    shmem_barrier_all();
    if (!is_last) compute();
    shmem_barrier_all();
    printf("done PE %d\n", shmem_my_pe());
    shmem_finalize();
    return 0;
}
