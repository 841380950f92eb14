// The detection of mistakes finds none in a program that uses device memory rightly.
// pes: 2
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// env: SHMEM_CHECK=1
// stderr: no mistakes found
// flags: -ldl
#include "device.h"

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    int to = (me + 1) % npes;
    long *words = shmemg_calloc(100, sizeof(long)), *local = device_alloc(100 * sizeof(long)), here[100];
    uint64_t *signal = shmemg_calloc(1, sizeof(uint64_t));
    for (int i = 0; i < 100; i++) here[i] = i;
    write_to(local, 1, here, sizeof here);
    shmem_long_put_signal(words, local, 100, signal, 1, SHMEM_SIGNAL_SET, to);
    shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 1);
    CHECK_EQ(shmem_long_g(&words[50], me), 50);
    shmem_barrier_all();
    shmem_long_atomic_inc(&words[1], to);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_test(&words[1], SHMEM_CMP_EQ, 2), 1);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words, words, 100);
    shmem_barrier_all();
    shmemg_free(signal);
    shmemg_free(words);
    shmem_finalize();
    return 0;
}
