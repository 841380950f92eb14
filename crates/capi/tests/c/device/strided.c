// Single elements, strided and block-strided transfers between every two kinds of memory that the specification allows.
// pes: 1 2 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// flags: -ldl
#include "device.h"

enum { WORDS = 60, BLOCK = 3, BLOCKS = 10 };

static long in_statics[WORDS], other_statics[WORDS], mine[WORDS], back[WORDS];
static int me, npes, to, from;

/* The word `i` that `pe` sends in a round. */
static long word(int round, int pe, int i) { return 10000L * round + 100 * pe + i; }

static void fill(const struct place *place, int round)
{
    for (int i = 0; i < WORDS; i++) mine[i] = word(round, me, i);
    write_to(place->at, place->on_device, mine, sizeof mine);
}

static void clear(const struct place *place)
{
    memset(back, 0, sizeof back);
    write_to(place->at, place->on_device, back, sizeof back);
}

/* Blocks of `block` words of `pe`, `sst` apart, are at the place, `dst` apart, and nothing else is. */
static void check(const char *what, const struct place *place, int round, int pe, int dst, int sst, int block, int blocks)
{
    read_from(back, place->at, place->on_device, sizeof back);
    for (int i = 0; i < WORDS; i++) {
        int is_sent = i / dst < blocks && i % dst < block;
        long expected = is_sent ? word(round, pe, i / dst * sst + i % dst) : 0;
        if (back[i] != expected) FAIL("%s, %s: word %d is %ld, expected %ld", what, place->name, i, back[i], expected);
    }
}

static void puts_and_gets(const struct place *local, const struct place *other, int round)
{
    long *here = local->at, *there = other->at;
    fill(local, round);
    clear(other);
    shmem_barrier_all();
    shmem_long_iput(there, here, 3, 2, 20, to);
    shmem_barrier_all();
    check(local->name, other, round, from, 3, 2, 1, 20);
    clear(other);
    shmem_barrier_all();
    shmem_long_ibput(there, here, 4, 5, BLOCK, BLOCKS, to);
    shmem_barrier_all();
    check(local->name, other, round, from, 4, 5, BLOCK, BLOCKS);

    fill(other, round);
    clear(local);
    shmem_barrier_all();
    shmem_long_iget(here, there, 2, 1, 30, to);
    check(other->name, local, round, to, 2, 1, 1, 30);
    clear(local);
    shmem_long_ibget(here, there, 5, 4, BLOCK, BLOCKS, to);
    check(other->name, local, round, to, 5, 4, BLOCK, BLOCKS);
    shmem_barrier_all();
}

int main(void)
{
    begin_device(&me, &npes);
    to = (me + 1) % npes;
    from = (me + npes - 1) % npes;
    struct place places[PLACES], others[SYMMETRIC];
    make_places(places, PLACES, in_statics, sizeof in_statics);
    make_places(others, SYMMETRIC, other_statics, sizeof other_statics);
    int round = 1;
    for (int there = 0; there < SYMMETRIC; there++) {
        for (int local = 0; local < PLACES; local++) puts_and_gets(&places[local], &others[there], round++);
        long *words = others[there].at;
        shmem_barrier_all();
        shmem_long_p(&words[3], 1000 + me, to);
        shmem_barrier_all();
        CHECK_EQ(shmem_long_g(&words[3], me), 1000 + from);
        CHECK_EQ(shmem_long_g(&words[3], to), 1000 + me);
    }
    shmem_finalize();
    return 0;
}
