/* The expected profile and trace of this program are in tests/profile.rs. */
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 20

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    int next = (me + 1) % n;
    double *row = shmem_malloc(256 * sizeof *row);
    uint64_t *flag = shmem_calloc(1, sizeof *flag);
    long *sum = shmem_calloc(2, sizeof *sum);
    for (int i = 1; i <= ROUNDS; i++) {
        shmem_double_put_signal(row, row + 128, 128, flag, i, SHMEM_SIGNAL_SET, next);
        shmem_signal_wait_until(flag, SHMEM_CMP_GE, i);
        shmem_long_atomic_inc(sum, next);
        shmem_barrier_all();
    }
    double here[4];
    shmem_double_get(here, row, 4, next);
    shmem_pcontrol(0);
    shmem_double_put(row, here, 4, me);
    shmem_sync_all();
    shmem_pcontrol(1);
    if (me == n - 1) usleep(400000);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum + 1, sum, 1); /* slowest */
    if (me == 0) printf("%ld\n", sum[1]);
    shmem_free(sum);
    shmem_free(flag);
    shmem_free(row);
    shmem_finalize();
    return 0;
}
