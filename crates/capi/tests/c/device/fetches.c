// Every atomic on a target in every kind of memory that the specification allows; the non-blocking ones with the old value in each as well.
// pes: 1 2 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// flags: -ldl
#include "device.h"

static uint64_t in_statics, fetch_in_statics;

/* Each PE alone updates the word of the next one. */
static void results(const struct place *target, int to)
{
    long *word = target->at;
    unsigned long *bits = target->at;
    double *real = target->at;
    shmem_long_atomic_set(word, 10, to);
    CHECK_EQ(shmem_long_atomic_fetch(word, to), 10);
    shmem_long_atomic_inc(word, to);
    shmem_long_atomic_add(word, 5, to);
    CHECK_EQ(shmem_long_atomic_fetch_inc(word, to), 16);
    CHECK_EQ(shmem_long_atomic_fetch_add(word, 3, to), 17);
    CHECK_EQ(shmem_long_atomic_swap(word, 4, to), 20);
    CHECK_EQ(shmem_long_atomic_compare_swap(word, 4, 6, to), 4);
    CHECK_EQ(shmem_long_atomic_compare_swap(word, 4, 9, to), 6);
    shmem_ulong_atomic_or(bits, 9, to);
    CHECK_EQ(shmem_ulong_atomic_fetch_and(bits, 12, to), 15);
    CHECK_EQ(shmem_ulong_atomic_fetch_xor(bits, 5, to), 12);
    shmem_ulong_atomic_and(bits, 8, to);
    CHECK_EQ(shmem_ulong_atomic_fetch_or(bits, 3, to), 8);
    shmem_ulong_atomic_xor(bits, 1, to);
    CHECK_EQ(shmem_ulong_atomic_fetch(bits, to), 10);
    shmem_double_atomic_set(real, 2.5, to);
    CHECK_EQ(shmem_double_atomic_swap(real, -1.25, to), 2.5);
    CHECK_EQ(shmem_double_atomic_fetch(real, to), -1.25);
}

static void old_values(const struct place *target, const struct place *fetch, int to)
{
    long *word = target->at, *into = fetch->at, old;
    unsigned long *bits = target->at, *bits_into = fetch->at;
#define FETCHED(call, expected)                                                                                        \
    do {                                                                                                               \
        call;                                                                                                          \
        shmem_quiet();                                                                                                 \
        read_from(&old, into, fetch->on_device, sizeof old);                                                           \
        if (old != expected) FAIL("%s of %s to %s: %ld", #call, target->name, fetch->name, old);                       \
    } while (0)
    shmem_long_atomic_set(word, 10, to);
    FETCHED(shmem_long_atomic_fetch_nbi(into, word, to), 10);
    FETCHED(shmem_long_atomic_fetch_inc_nbi(into, word, to), 10);
    FETCHED(shmem_long_atomic_fetch_add_nbi(into, word, 5, to), 11);
    FETCHED(shmem_long_atomic_swap_nbi(into, word, 6, to), 16);
    FETCHED(shmem_long_atomic_compare_swap_nbi(into, word, 6, 15, to), 6);
    FETCHED(shmem_ulong_atomic_fetch_and_nbi(bits_into, bits, 12, to), 15);
    FETCHED(shmem_ulong_atomic_fetch_xor_nbi(bits_into, bits, 5, to), 12);
    FETCHED(shmem_ulong_atomic_fetch_or_nbi(bits_into, bits, 2, to), 9);
    FETCHED(shmem_long_atomic_fetch_nbi(into, word, to), 11);
}

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    struct place targets[SYMMETRIC], fetches[PLACES];
    make_places(targets, SYMMETRIC, &in_statics, sizeof in_statics);
    make_places(fetches, PLACES, &fetch_in_statics, sizeof fetch_in_statics);
    int to = (me + 1) % npes;
    shmem_barrier_all();
    for (int target = 0; target < SYMMETRIC; target++) {
        results(&targets[target], to);
        for (int fetch = 0; fetch < PLACES; fetch++) old_values(&targets[target], &fetches[fetch], to);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
