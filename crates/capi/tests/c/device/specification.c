// The forms of the specification's examples: a put from the host into the device heap; a put, a quiet and a put to another PE; puts with
// signal whose data and signal are in different memories.
// pes: 2 3 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// flags: -ldl
#include "device.h"

enum { N = 5000, VALUE = 42 };

static double numbers[N], back[N];

static void check_numbers(const double *block, int pe)
{
    shmem_double_get(back, block, N, pe);
    for (int i = 0; i < N; i++) CHECK_NTH("a number", i, back[i], i + 0.25);
}

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    int *one = need_device(sizeof *one), value = 0;
    double *block = need_device(sizeof numbers), *on_host = need(sizeof numbers);
    long *flag = shmem_calloc(1, sizeof *flag);
    uint64_t *signal = shmem_calloc(1, sizeof *signal), *device_signal = shmemg_calloc(1, sizeof *device_signal);
    CHECK(flag != NULL && signal != NULL && device_signal != NULL);
    for (int i = 0; i < N; i++) numbers[i] = i + 0.25;

    if (me == 0) {
        value = VALUE;
        shmem_int_put(one, &value, 1, 1);
    }
    shmem_barrier_all();
    if (me == 1) {
        read_from(&value, one, 1, sizeof value);
        CHECK_EQ(value, VALUE);
    }

    /* PE 0 writes to the device of PE 1, and tells the last PE, which reads there. */
    if (me == 0) {
        shmem_double_put_nbi(block, numbers, N, 1);
        shmem_quiet();
        shmem_long_p(flag, 1, npes - 1);
    }
    if (me == npes - 1) {
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
        check_numbers(block, 1);
    }
    shmem_barrier_all();

    /* Data on the device and signal on the host, and the reverse; from device memory. */
    if (me == 0) {
        double *made = device_alloc(sizeof numbers);
        write_to(made, 1, numbers, sizeof numbers);
        for (int i = 0; i < N; i++) back[i] = 0;
        shmem_double_put(block, back, N, 1);
        shmem_double_put_signal(block, made, N, signal, 1, SHMEM_SIGNAL_SET, 1);
        shmem_double_put_signal_nbi(on_host, made, N, device_signal, 1, SHMEM_SIGNAL_ADD, 1);
    }
    if (me == 1) {
        shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 1);
        check_numbers(block, 1);
        shmem_signal_wait_until(device_signal, SHMEM_CMP_EQ, 1);
        for (int i = 0; i < N; i++) CHECK_NTH("a number on the host", i, on_host[i], i + 0.25);
    }
    shmem_barrier_all();
    shmemg_free(device_signal);
    shmemg_free(block);
    shmemg_free(one);
    shmem_finalize();
    return 0;
}
