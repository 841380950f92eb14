// pes: 2 3
// each: SHMEM_TRANSPORT = auto | tcp
// A PE that only computes, and calls nothing, is served: every kind of operation on it completes; the last one stops it.
#include "check.h"

enum { WORDS = 20000 };
static long data[WORDS], counter, lock, words[WORDS];
static uint64_t signal_word;
static volatile long stop;

static void compute(void)
{
    volatile double sink = 0;
    while (stop == 0) sink = sink * 0.5 + 1.0;
}

static void use(int pe)
{
    static long back[WORDS];
    for (long i = 0; i < WORDS; i++) words[i] = pe * 100000L + i;
    shmem_long_put(data, words, WORDS, pe);
    shmem_quiet();
    shmem_long_get(back, data, WORDS, pe);
    for (long i = 0; i < WORDS; i++) CHECK_NTH("shmem_long_get", i, back[i], words[i]);
    for (long i = 0; i < 100; i++) CHECK_EQ(shmem_long_atomic_fetch_add(&counter, 2, pe), 2 * i);
    CHECK_EQ(shmem_long_atomic_compare_swap(&counter, 200, 7, pe), 200);
    CHECK_EQ(shmem_long_g(&counter, pe), 7);
    shmem_long_put_signal(data, words, 10, &signal_word, 5, SHMEM_SIGNAL_SET, pe);
    shmem_quiet();
    CHECK_EQ(shmem_uint64_atomic_fetch(&signal_word, pe), 5);
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_barrier_all();
    if (me == 0) {
        for (int pe = 1; pe < npes; pe++) use(pe);
        for (int pe = 1; pe < npes; pe++) {
            shmem_long_p((long *)&stop, 1, pe);
            shmem_quiet();
        }
    } else {
        compute();
    }
    end();
    return 0;
}
