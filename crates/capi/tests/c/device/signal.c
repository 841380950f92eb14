// A put with signal: the data are there when the signal is, whichever memory the data and the signal are in.
// pes: 1 2 3
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=16m
// flags: -ldl
#include "device.h"
#include <shmemx.h>

enum { WORDS = 40000 };

static long plain[WORDS], back[WORDS];

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    struct {
        long *data;
        uint64_t *signal;
        int on_device;
    } host = {need(sizeof plain), shmem_calloc(1, 8), 0}, device = {need_device(sizeof plain), shmemg_calloc(1, 8), 1};
    long *sources[] = {plain, device_alloc(sizeof plain), need_device(sizeof plain)};
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    uint64_t host_value = 0, device_value = 0;
    for (int round = 0; round < 24; round++) {
        int data_on_device = round & 1, signal_on_device = round >> 1 & 1, nbi = round >> 2 & 1, source = round % 3;
        long *dest = data_on_device ? device.data : host.data;
        uint64_t *signal = signal_on_device ? device.signal : host.signal;
        uint64_t *value = signal_on_device ? &device_value : &host_value;
        for (int i = 0; i < WORDS; i++) plain[i] = 1000L * round + 100000L * me + i;
        write_to(sources[source], source > 0, plain, sizeof plain);
        *value += 1;
        if (nbi) shmem_long_put_signal_nbi(dest, sources[source], WORDS, signal, 1, SHMEM_SIGNAL_ADD, to);
        else shmem_long_put_signal(dest, sources[source], WORDS, signal, *value, SHMEM_SIGNAL_SET, to);
        CHECK_EQ(shmem_signal_wait_until(signal, SHMEM_CMP_GE, *value), *value);
        CHECK_EQ(shmem_signal_fetch(signal), *value);
        read_from(back, dest, data_on_device, sizeof back);
        for (int i = 0; i < WORDS; i++) CHECK_NTH("the data", i, back[i], 1000L * round + 100000L * from + i);
        shmem_barrier_all();
    }
    /* Signals alone, and one without data. */
    shmem_putmem_signal(device.data, plain, 0, device.signal, 900, SHMEM_SIGNAL_SET, to);
    shmem_signal_wait_until(device.signal, SHMEM_CMP_EQ, 900);
    shmem_barrier_all();
    shmemx_signal_add(device.signal, 5, to);
    shmem_signal_wait_until(device.signal, SHMEM_CMP_EQ, 905);
    shmem_finalize();
    return 0;
}
