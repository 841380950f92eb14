// Order between operations on both memories: a fence orders those to one memory of a PE, quiet those to both memories and to all PEs, and a
// barrier implies quiet. Data and flag are in every kind of memory that the specification allows.
// pes: 1 2 3 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// flags: -ldl
#include "device.h"

enum { WORDS = 9, KINDS = 6, FLAGS = 3 };

static long data_in_statics[WORDS], flag_in_statics, seen, source[WORDS], back[WORDS];
static struct place datas[SYMMETRIC], flags[SYMMETRIC];
static shmem_ctx_t ctx;
static int me, npes, to, from;

/* Data by every kind of operation that fence and quiet order, on the default context or on another one. */
static void send(long *data, int kind, int pe)
{
    switch (kind) {
    case 0: shmem_long_put(data, source, WORDS, pe); break;
    case 1: shmem_long_put_nbi(data, source, WORDS, pe); break;
    case 2:
        for (int i = 0; i < WORDS; i++) shmem_long_p(&data[i], source[i], pe);
        break;
    case 3:
        for (int i = 0; i < WORDS; i++) shmem_long_atomic_set(&data[i], source[i], pe);
        break;
    case 4: shmem_ctx_long_put_nbi(ctx, data, source, WORDS, pe); break;
    default: shmem_ctx_long_iput(ctx, data, source, 1, 1, WORDS, pe);
    }
}

static void raise_flag(long *flag, int how, shmem_ctx_t on, long value, int pe)
{
    switch (how) {
    case 0: shmem_ctx_long_p(on, flag, value, pe); break;
    case 1: shmem_ctx_long_atomic_set(on, flag, value, pe); break;
    default: shmem_ctx_putmem_signal(on, NULL, NULL, 0, (uint64_t *)flag, (uint64_t)value, SHMEM_SIGNAL_SET, pe);
    }
}

static void check(const char *what, const struct place *data, int pe, long round)
{
    read_from(back, data->at, data->on_device, sizeof back);
    for (int i = 0; i < WORDS; i++)
        if (back[i] != 1000 * round + 10 * pe + i)
            FAIL("%s, data in %s, round %ld: word %d is %ld", what, data->name, round, i, back[i]);
}

static void pass(const struct place *data, const struct place *flag, int kind, int how, long round)
{
    shmem_ctx_t on = kind < 4 ? SHMEM_CTX_DEFAULT : ctx;
    for (int i = 0; i < WORDS; i++) source[i] = 1000 * round + 10 * me + i;
    send(data->at, kind, to);
    /* A fence does not order operations on different memories. */
    if (data->on_device == flag->on_device && round % 2) shmem_ctx_fence(on);
    else shmem_ctx_quiet(on);
    raise_flag(flag->at, how, on, round, to);
    shmem_long_wait_until(flag->at, SHMEM_CMP_EQ, round);
    check(flag->name, data, from, round);
    shmem_long_atomic_set(&seen, round, from); /* The sender may overwrite the data. */
    shmem_long_wait_until(&seen, SHMEM_CMP_EQ, round);
    shmem_ctx_quiet(ctx);
}

/* A third PE that sees the flag reads the data at the second one. */
static void pass_to_two(const struct place *data, const struct place *flag, int kind, long round)
{
    int third = (me + 2) % npes;
    for (int i = 0; i < WORDS; i++) source[i] = 1000 * round + 10 * me + i;
    send(data->at, kind, to);
    shmem_ctx_quiet(kind < 4 ? SHMEM_CTX_DEFAULT : ctx);
    shmem_long_p(flag->at, round, third);
    shmem_long_wait_until(flag->at, SHMEM_CMP_EQ, round);
    long got[WORDS];
    shmem_long_get(got, data->at, WORDS, from);
    for (int i = 0; i < WORDS; i++)
        CHECK_NTH("what the third PE reads", i, got[i], 1000 * round + 10 * ((me + 2 * npes - 2) % npes) + i);
    shmem_barrier_all();
}

int main(void)
{
    begin_device(&me, &npes);
    to = (me + 1) % npes;
    from = (me + npes - 1) % npes;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    make_places(datas, SYMMETRIC, data_in_statics, sizeof data_in_statics);
    make_places(flags, SYMMETRIC, &flag_in_statics, sizeof flag_in_statics);
    shmem_barrier_all();
    long round = 0;
    for (int data = 0; data < SYMMETRIC; data++)
        for (int kind = 0; kind < KINDS; kind++) {
            for (int flag = 0; flag < SYMMETRIC; flag++) {
                for (int how = 0; how < 2 * FLAGS; how++) pass(&datas[data], &flags[flag], kind, how % FLAGS, ++round);
                shmem_barrier_all();
                pass_to_two(&datas[data], &flags[flag], kind, ++round);
            }
            /* A barrier completes what is on its way to both memories; a sync does so after quiet. */
            round++;
            for (int i = 0; i < WORDS; i++) source[i] = 1000 * round + 10 * me + i;
            send(datas[data].at, kind, to);
            shmem_ctx_quiet(ctx);
            if (kind % 2) shmem_barrier_all();
            else shmem_quiet(), shmem_team_sync(SHMEM_DEVICE_TEAM_WORLD);
            check("a barrier", &datas[data], from, round);
            shmem_barrier_all();
        }
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
