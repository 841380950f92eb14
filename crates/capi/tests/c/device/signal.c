// A put with signal: the data are there when the signal is, for data, signal and source in every kind of memory that the specification allows.
// pes: 1 2 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=16m
// flags: -ldl
#include "device.h"

enum { WORDS = 40000 };

static long data_in_statics[WORDS], source_in_statics[WORDS], plain[WORDS], back[WORDS];
static uint64_t signal_in_statics;
static int me, npes, to, from;

static void put(const struct place *dest, const struct place *source, struct place *signal, uint64_t *value, int nbi)
{
    uint64_t *word = signal->at;
    long seed = (long)(*value * 7);
    for (int i = 0; i < WORDS; i++) plain[i] = seed + 100000L * me + i;
    write_to(source->at, source->on_device, plain, sizeof plain);
    *value += 1;
    if (nbi) shmem_long_put_signal_nbi(dest->at, source->at, WORDS, word, 1, SHMEM_SIGNAL_ADD, to);
    else shmem_long_put_signal(dest->at, source->at, WORDS, word, *value, SHMEM_SIGNAL_SET, to);
    CHECK_EQ(shmem_signal_wait_until(word, SHMEM_CMP_GE, *value), *value);
    CHECK_EQ(shmem_signal_fetch(word), *value);
    read_from(back, dest->at, dest->on_device, sizeof back);
    for (int i = 0; i < WORDS; i++)
        if (back[i] != seed + 100000L * from + i)
            FAIL("%s to %s, signal in %s: word %d is %ld", source->name, dest->name, signal->name, i, back[i]);
    shmem_barrier_all();
}

int main(void)
{
    begin_device(&me, &npes);
    to = (me + 1) % npes;
    from = (me + npes - 1) % npes;
    struct place dests[SYMMETRIC], sources[PLACES], signals[SYMMETRIC];
    uint64_t values[SYMMETRIC] = {0};
    make_places(dests, SYMMETRIC, data_in_statics, sizeof data_in_statics);
    make_places(sources, PLACES, source_in_statics, sizeof source_in_statics);
    make_places(signals, SYMMETRIC, &signal_in_statics, sizeof signal_in_statics);
    shmem_barrier_all();
    for (int dest = 0; dest < SYMMETRIC; dest++)
        for (int source = 0; source < PLACES; source++)
            for (int signal = 0; signal < SYMMETRIC; signal++)
                for (int nbi = 0; nbi < 2; nbi++) put(&dests[dest], &sources[source], &signals[signal], &values[signal], nbi);
    /* Signals alone, and one without data. */
    for (int signal = 0; signal < SYMMETRIC; signal++) {
        uint64_t *word = signals[signal].at;
        shmem_putmem_signal(dests[signal].at, plain, 0, word, 900, SHMEM_SIGNAL_SET, to);
        shmem_signal_wait_until(word, SHMEM_CMP_EQ, 900);
        shmem_barrier_all();
        shmem_signal_add(word, 5, to);
        shmem_signal_wait_until(word, SHMEM_CMP_EQ, 905);
        shmem_barrier_all();
        shmem_signal_set(word, 17, to);
        shmem_signal_wait_until(word, SHMEM_CMP_EQ, 17);
    }
    shmem_finalize();
    return 0;
}
