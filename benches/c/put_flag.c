/* Half a round trip of a message: put the data, fence, p the flag; the other side waits for the flag and answers. */
#include "bench.h"

static long turn; /* grows over all batches, the same on both PEs */
static const long payload = 7;

struct message {
    long *data, *flag;
};

static void send(const struct message *m, int pe)
{
    shmem_put64(m->data, &payload, 1, pe);
    shmem_fence();
    shmem_long_p(m->flag, turn, pe);
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
        shmem_long_wait_until(m->flag, SHMEM_CMP_EQ, turn);
        if (bench.me == 1)
            send(m, 0);
    }
}

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_need_pes(2);
    struct message m = {bench_symmetric(sizeof(long)), bench_symmetric(sizeof(long))};
    bench_report_time("put_flag", sizeof(long), bench_half(bench_together(rally, &m)));
    shmem_free(m.flag);
    shmem_free(m.data);
    bench_end();
    return 0;
}
