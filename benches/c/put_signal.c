/* Half a round trip of a message with put with signal: the other side waits for the signal and answers in the same way. */
#include "bench.h"

#if BENCH_HAS_1_5
static uint64_t turn; /* grows over all batches, the same on both PEs */

struct message {
    void *data, *payload;
    uint64_t *signal;
    size_t bytes;
};

static void send(const struct message *m, int pe)
{
    shmem_putmem_signal(m->data, m->payload, m->bytes, m->signal, turn, SHMEM_SIGNAL_SET, pe);
}

static void rally(long n, void *arg)
{
    const struct message *m = arg;
    if (bench.me > 1)
        return;
    for (long i = 0; i < n; i++) {
        turn++;
        if (bench.me == 0)
            send(m, 1);
        shmem_signal_wait_until(m->signal, SHMEM_CMP_EQ, turn);
        if (bench.me == 1)
            send(m, 0);
    }
}

static void measure(int argc, char **argv)
{
    size_t max = bench_size_max(argc, argv, 8);
    struct message m = {bench_symmetric(max), bench_private(max), bench_symmetric(sizeof(uint64_t)), 0};
    for (int i = 0; (m.bytes = bench_size(argc, argv, i, 8)) != 0; i++)
        bench_report_time("put_signal", m.bytes, bench_half(bench_together(rally, &m)));
    shmem_free(m.signal);
    free(m.payload);
    shmem_free(m.data);
}
#else
static void measure(int argc, char **argv)
{
    (void)argc, (void)argv;
    bench_skip("put_signal", "OpenSHMEM 1.5");
}
#endif

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    measure(argc, argv);
    bench_end();
    return 0;
}
