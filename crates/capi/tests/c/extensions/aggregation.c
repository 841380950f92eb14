// pes: 1 2 3 5
// each: SHMEM_TRANSPORT = auto | tcp
// Aggregation: items are handled once and in order; updates are applied once and are atomic with respect to plain atomics;
// flush, quiet and collectives complete them; items and updates left at finalize are completed too.
#include "check.h"
#include <shmemx.h>
#include <string.h>

enum { ITEMS = 3000, WORDS = 32, PES_MAX = 16 };

struct item {
    int source;
    char padding[3];
    short number;
};

static int me, npes;
static long handled[PES_MAX], late;
static uint64_t added[WORDS], ored[WORDS], xored[WORDS], stored[PES_MAX];
static uint64_t *heap;

static void take(void *context, const void *items, size_t nitems, int source_pe)
{
    long *counts = context;
    const struct item *item = items;
    for (size_t i = 0; i < nitems; i++) {
        CHECK_EQ(item[i].source, source_pe);
        CHECK_EQ(item[i].number, (short)counts[source_pe]++);
    }
}

static void count(void *context, const void *items, size_t nitems, int source_pe)
{
    (void)items;
    (void)source_pe;
    *(long *)context += (long)nitems;
}

static void send(shmemx_agg_t agg, long first)
{
    for (long i = 0; i < ITEMS; i++)
        for (int pe = 0; pe < npes; pe++) {
            struct item item = {.source = me, .number = (short)(first + i)};
            shmemx_agg_send(agg, &item, (me + pe) % npes);
        }
}

static void items_come_once_and_in_order(size_t buffer)
{
    shmemx_agg_t agg;
    memset(handled, 0, sizeof handled);
    CHECK(shmemx_agg_create(sizeof(struct item), take, handled, buffer, &agg) == 0);
    send(agg, 0);
    shmemx_agg_flush(agg);
    shmem_sync_all(); /* a PE that is ahead may have sent more */
    for (int pe = 0; pe < npes; pe++) CHECK(handled[pe] >= ITEMS);
    send(agg, ITEMS);
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++) CHECK(handled[pe] >= 2 * ITEMS);
    send(agg, 2 * ITEMS);
    static long mine = 1, all;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all, &mine, 1);
    shmem_sync_all();
    for (int pe = 0; pe < npes; pe++) CHECK_NTH("all of them", pe, handled[pe], 3 * ITEMS);
    shmemx_agg_destroy(&agg);
    CHECK(agg == NULL);
    shmemx_agg_destroy(&agg); /* nothing */
}

static void updates_are_applied_once(void)
{
    shmemx_agg_t agg;
    CHECK(shmemx_agg_create(0, NULL, NULL, 512, &agg) == 0);
    for (uint64_t i = 0; i < ITEMS; i++)
        for (int pe = 0; pe < npes; pe++) {
            const uint64_t bit = UINT64_C(1) << ((i + (uint64_t)me) % 64);
            shmemx_agg_add(agg, &added[i % WORDS], 1, pe);
            shmem_uint64_atomic_add(&added[i % WORDS], 1, pe);
            shmemx_agg_add(agg, &heap[i % WORDS], (uint64_t)me + 1, pe);
            shmemx_agg_or(agg, &ored[i % WORDS], bit, pe);
            shmemx_agg_xor(agg, &xored[i % WORDS], i * 31 + (uint64_t)me, pe);
            shmemx_agg_put(agg, &stored[me], i, pe);
        }
    shmem_quiet();
    shmem_sync_all();
    uint64_t adds[WORDS] = {0}, heaps[WORDS] = {0}, ors[WORDS] = {0}, xors[WORDS] = {0};
    for (uint64_t i = 0; i < ITEMS; i++)
        for (uint64_t pe = 0; pe < (uint64_t)npes; pe++) {
            adds[i % WORDS] += 2;
            heaps[i % WORDS] += pe + 1;
            ors[i % WORDS] |= UINT64_C(1) << ((i + pe) % 64);
            xors[i % WORDS] ^= i * 31 + pe;
        }
    for (int w = 0; w < WORDS; w++) {
        CHECK_NTH("add", w, added[w], adds[w]);
        CHECK_NTH("add in the heap", w, heap[w], heaps[w]);
        CHECK_NTH("or", w, ored[w], ors[w]);
        CHECK_NTH("xor", w, xored[w], xors[w]);
    }
    for (int pe = 0; pe < npes; pe++) CHECK_NTH("put", pe, stored[pe], ITEMS - 1);
    shmem_barrier_all();
    shmemx_agg_destroy(&agg);
}

/* 64 at a time, and each works; one more is refused, without harm. */
static void there_are_64(void)
{
    shmemx_agg_t aggs[65];
    long counts[64] = {0};
    for (int i = 0; i < 64; i++) CHECK(shmemx_agg_create(3, count, &counts[i], 64, &aggs[i]) == 0);
    CHECK(shmemx_agg_create(3, count, &late, 64, &aggs[64]) != 0 && aggs[64] == NULL);
    for (int i = 0; i < 64; i++) shmemx_agg_send(aggs[i], "abc", (me + 1) % npes);
    shmem_barrier_all();
    for (int i = 0; i < 64; i++) CHECK_NTH("one of 64", i, counts[i], 1);
    for (int i = 0; i < 64; i++) shmemx_agg_destroy(&aggs[i]);
    CHECK(shmemx_agg_create(3, count, &late, (size_t)-1 / 2, &aggs[0]) == 0 || aggs[0] == NULL);
    shmemx_agg_destroy(&aggs[0]);
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    heap = shmem_calloc(WORDS, sizeof *heap);
    items_come_once_and_in_order(0);
    items_come_once_and_in_order(1);
    items_come_once_and_in_order(1000);
    updates_are_applied_once();
    there_are_64();
    shmem_free(heap);
    shmemx_agg_t left;
    CHECK(shmemx_agg_create(1, count, &late, 0, &left) == 0);
    shmemx_agg_send(left, "x", (me + 1) % npes);
    shmem_finalize();
    CHECK_EQ(late, 1);
    return 0;
}
