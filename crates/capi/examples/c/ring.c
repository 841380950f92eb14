/* A message goes around the ring of all PEs, and each adds its number to it. It is put into the neighbour's memory together with a
 * signal, so there is no receive: a PE waits for the signal and finds the message in its memory. */

#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    int npes = shmem_n_pes();
    int next = (me + 1) % npes;

    long *message = shmem_calloc(1, sizeof *message);
    uint64_t *arrived = shmem_calloc(1, sizeof *arrived);
    if (message == NULL || arrived == NULL) {
        fprintf(stderr, "PE %d: no symmetric memory\n", me);
        shmem_global_exit(1);
    }

    long start = 0;
    if (me == 0)
        shmem_long_put_signal(message, &start, 1, arrived, 1, SHMEM_SIGNAL_SET, next);
    shmem_signal_wait_until(arrived, SHMEM_CMP_EQ, 1);
    if (me != 0) {
        long sum = *message + me;
        shmem_long_put_signal(message, &sum, 1, arrived, 1, SHMEM_SIGNAL_SET, next);
    }

    int complete = 1;
    if (me == 0) {
        long expected = (long)npes * (npes - 1) / 2;
        printf("the message came back to PE 0 as %ld; %ld was expected\n", *message, expected);
        complete = *message == expected;
    }
    shmem_barrier_all();
    shmem_free(arrived);
    shmem_free(message);
    shmem_finalize();
    return complete ? 0 : 1;
}
