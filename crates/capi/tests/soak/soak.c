/* Random operations compared with a model, for a given number of seconds: soak SECONDS SEED.
 *
 * On every PE each PE has a region, a row of counters and a signal of its own, so the writer always knows their contents.
 * The result of every get, fetching atomic and collective is compared. Wrong data end the job with status 1. */
#include "check.h"

enum { REGION = 1 << 16, COUNTERS = 8, PUTS_AT_ONCE = 64, ROUND = 400 };

struct mine { // of one PE, at one peer, as its owner knows it
    uint8_t bytes[REGION];
    uint64_t counters[COUNTERS];
    uint64_t signal;
};

static struct mine *there; // symmetric: one for each PE
static struct mine *model; // local: one for each peer
static uint64_t seed;
static int me, npes;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (seed * 0x9e3779b97f4a7c15u >> 20) % below;
}

/* Mostly short, now and then as long as it gets. */
static void draw_range(size_t *offset, size_t *length)
{
    size_t most = draw(8) == 0 ? REGION : 200;
    *offset = draw(REGION - 1);
    *length = 1 + draw(most);
    if (*length > REGION - *offset) *length = REGION - *offset;
}

static uint8_t *fresh_bytes(size_t length)
{
    static uint8_t pool[PUTS_AT_ONCE][REGION]; // non-blocking puts may read theirs until quiet
    static int next;
    uint8_t *bytes = pool[next++ % PUTS_AT_ONCE];
    if (next % PUTS_AT_ONCE == 0) shmem_quiet();
    for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)draw(256);
    return bytes;
}

static void write_some(int pe)
{
    size_t offset, length;
    draw_range(&offset, &length);
    uint8_t *bytes = fresh_bytes(length), *to = there[me].bytes + offset;
    uint64_t way = draw(4);
    shmem_fence(); // puts to the same place are in order
    if (way == 0) shmem_putmem(to, bytes, length, pe);
    else if (way == 1) shmem_putmem_nbi(to, bytes, length, pe);
    else if (way == 2) shmem_uint8_iput(to, bytes, 1, 1, length, pe);
    else shmem_putmem_signal(to, bytes, length, &there[me].signal, ++model[pe].signal, SHMEM_SIGNAL_SET, pe);
    memcpy(model[pe].bytes + offset, bytes, length);
}

static void read_some(int pe)
{
    static uint8_t back[REGION];
    size_t offset, length;
    draw_range(&offset, &length);
    shmem_quiet();
    if (draw(2)) shmem_getmem(back, there[me].bytes + offset, length, pe);
    else shmem_getmem_nbi(back, there[me].bytes + offset, length, pe), shmem_quiet();
    if (memcmp(back, model[pe].bytes + offset, length) != 0) FAIL("%zu bytes at %zu of PE %d are wrong", length, offset, pe);
}

static void count_some(int pe)
{
    int i = (int)draw(COUNTERS);
    uint64_t *word = &there[me].counters[i], *known = &model[pe].counters[i], value = draw(1000);
    switch (draw(5)) {
    case 0: CHECK_EQ(shmem_uint64_atomic_fetch_add(word, value, pe), *known); *known += value; break;
    case 1: shmem_uint64_atomic_add(word, value, pe); *known += value; break;
    case 2: CHECK_EQ(shmem_uint64_atomic_swap(word, value, pe), *known); *known = value; break;
    case 3: CHECK_EQ(shmem_uint64_atomic_compare_swap(word, *known, value, pe), *known); *known = value; break;
    default: shmem_fence(); CHECK_EQ(shmem_uint64_atomic_fetch(word, pe), *known);
    }
}

/* Everything that every PE wrote everywhere, compared as a whole; and a collective or two. */
static void compare_all(void)
{
    static long sum[3], part[3];
    static struct mine back;
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++) {
        shmem_getmem(&back, &there[me], sizeof back, pe);
        if (memcmp(&back, &model[pe], sizeof back) != 0) FAIL("what PE %d has of mine is wrong", pe);
    }
    for (int i = 0; i < 3; i++) part[i] = me + i;
    CHECK_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, part, 3), 0);
    for (int i = 0; i < 3; i++) CHECK_EQ(sum[i], npes * (npes - 1) / 2 + npes * i);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    begin(&me, &npes);
    double seconds = argc > 1 ? atof(argv[1]) : 5;
    seed = (argc > 2 ? strtoull(argv[2], NULL, 0) : 1) * 2654435761u + (uint64_t)me * 40503u + 1;
    there = need(npes * sizeof *there);
    model = calloc(npes, sizeof *model);
    memset(there, 0, npes * sizeof *there);
    static int over, all_over;
    time_t until = time(NULL) + (time_t)seconds;
    long operations = 0;
    shmem_barrier_all();
    if (me == 0) {
        printf("begun\n");
        fflush(stdout);
    }
    do {
        for (int i = 0; i < ROUND; i++, operations++) {
            int pe = (int)draw(npes);
            switch (draw(3)) {
            case 0: write_some(pe); break;
            case 1: read_some(pe); break;
            default: count_some(pe);
            }
        }
        compare_all();
        over = time(NULL) >= until;
        shmem_int_max_reduce(SHMEM_TEAM_WORLD, &all_over, &over, 1);
    } while (!all_over);
    printf("PE %d: %ld operations, all right\n", me, operations);
    end();
    return 0;
}
