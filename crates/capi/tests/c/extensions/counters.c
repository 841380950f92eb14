// pes: 1 2 4
// each: FERRITE_COUNTERS = 0 | 1
// Performance counters: every kind of call counts once, on its context only; issued operations are complete after quiet, never
// before they are issued; writes are counted at their target; and counted operations are complete. They count from the first
// query or from init.
#include "check.h"
#include <shmemx.h>

enum { WRITES = 17, READS = 14 };
static int me, npes, next;
static long word, other, ring[8], from[8];
static short half;
static uint64_t sig;

static shmemx_pcntr_t all(shmem_ctx_t ctx)
{
    shmemx_pcntr_t now;
    shmemx_pcntr_get_all(ctx, &now);
    CHECK(now.completed_put <= now.pending_put && now.completed_get <= now.pending_get);
    return now;
}

static void write_to(shmem_ctx_t ctx, int pe)
{
    long own[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    shmem_ctx_long_put(ctx, ring, own, 4, pe);
    shmem_ctx_long_put_nbi(ctx, ring + 4, from, 4, pe);
    shmem_ctx_putmem(ctx, ring, own, 3, pe);
    shmem_ctx_long_p(ctx, &other, 11, pe);
    shmem_ctx_long_iput(ctx, ring, own, 2, 1, 4, pe);
    shmem_ctx_long_ibput(ctx, ring, own, 4, 2, 2, 2, pe);
    shmem_ctx_long_put_signal(ctx, ring, own, 8, &sig, 1, SHMEM_SIGNAL_ADD, pe);
    shmem_ctx_long_put_signal_nbi(ctx, ring, from, 8, &sig, 1, SHMEM_SIGNAL_ADD, pe);
    shmem_ctx_long_put_signal(ctx, ring, own, 0, &sig, 1, SHMEM_SIGNAL_ADD, pe);
    shmem_ctx_signal_add(ctx, &sig, 1, pe);
    shmem_ctx_signal_set(ctx, &sig, 1, pe);
    shmem_ctx_long_atomic_set(ctx, &word, 5, pe);
    shmem_ctx_long_atomic_add(ctx, &word, 5, pe);
    shmem_ctx_long_atomic_inc(ctx, &word, pe);
    shmem_ctx_uint_atomic_or(ctx, (unsigned *)&sig, 6, pe);
    shmem_ctx_longdouble_p(ctx, (long double *)ring, 1.5L, pe);
    shmem_ctx_int_put(ctx, (int *)&other, (int[]){77, 0}, 2, pe);
    shmem_ctx_long_put(ctx, ring, own, 0, pe); /* moves nothing */
}

static void read_from(shmem_ctx_t ctx, int pe)
{
    static long got[8], old, older; /* destination of the results of non-blocking operations */
    shmem_ctx_long_get(ctx, got, ring, 4, pe);
    shmem_ctx_long_get_nbi(ctx, got + 4, ring + 4, 4, pe);
    shmem_ctx_getmem(ctx, got, ring, 3, pe);
    CHECK_EQ(shmem_ctx_long_g(ctx, &other, pe), 77);
    shmem_ctx_long_iget(ctx, got, ring, 1, 2, 4, pe);
    shmem_ctx_long_ibget(ctx, got, ring, 2, 4, 2, 2, pe);
    CHECK_EQ(shmem_ctx_long_atomic_fetch(ctx, &word, pe), 11);
    CHECK_EQ(shmem_ctx_long_atomic_fetch_add(ctx, &word, 0, pe), 11);
    CHECK_EQ(shmem_ctx_long_atomic_fetch_inc(ctx, &word, pe), 11);
    CHECK_EQ(shmem_ctx_long_atomic_swap(ctx, &word, 40, pe), 12);
    CHECK_EQ(shmem_ctx_long_atomic_compare_swap(ctx, &word, 40, 41, pe), 40);
    shmem_ctx_long_atomic_fetch_nbi(ctx, &old, &word, pe);
    shmem_ctx_long_atomic_fetch_add_nbi(ctx, &older, &word, 1, pe);
    CHECK(shmem_ctx_longdouble_g(ctx, (long double *)ring, pe) == 1.5L);
    shmem_ctx_long_get(ctx, got, ring, 0, pe); /* moves nothing */
    shmem_ctx_quiet(ctx);
    CHECK(old == 41 && older == 41);
}

static void on(shmem_ctx_t ctx, shmem_ctx_t bystander)
{
    shmemx_pcntr_t before = all(ctx), aside = all(bystander), after;
    uint64_t number;
    shmem_barrier_all(); /* all PEs count, and none has begun */
    write_to(ctx, next);
    shmemx_pcntr_get_issued_write(ctx, &number);
    CHECK_EQ(number - before.pending_put, WRITES);
    shmem_ctx_quiet(ctx);
    shmemx_pcntr_get_completed_write(ctx, &number);
    CHECK_EQ(number - before.completed_put, WRITES);
    shmemx_pcntr_get_issued_read(ctx, &number);
    CHECK_EQ(number, before.pending_get);
    shmem_barrier_all();
    shmemx_pcntr_get_completed_target(&number);
    CHECK_EQ(number - before.target, WRITES);

    CHECK_EQ(other, 77);
    CHECK_EQ(word, 11);
    CHECK_EQ(sig, 7);
    shmem_barrier_all();
    read_from(ctx, next);
    shmemx_pcntr_get_issued_read(ctx, &number);
    CHECK_EQ(number - before.pending_get, READS);
    shmemx_pcntr_get_completed_read(ctx, &number);
    CHECK_EQ(number - before.completed_get, READS);
    shmem_barrier_all();
    CHECK_EQ(word, 42);
    after = all(ctx);
    CHECK_EQ(after.pending_put - before.pending_put, WRITES);
    CHECK_EQ(after.completed_put, after.pending_put);
    CHECK_EQ(after.completed_get, after.pending_get);
    CHECK_EQ(after.target - before.target, WRITES); /* reads are not counted at any target */
    after = all(bystander);
    CHECK(after.pending_put == aside.pending_put && after.pending_get == aside.pending_get);
    sig = 0;
    shmem_barrier_all();
}

int main(void)
{
    begin(&me, &npes);
    next = (me + 1) % npes;
    shmem_ctx_t one, two;
    CHECK_EQ(shmem_ctx_create(0, &one), 0);
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &two), 0);
    /* Before any query: counted only from init. */
    shmem_short_p(&half, 3, next);
    shmem_quiet();
    shmemx_pcntr_t first = all(SHMEM_CTX_DEFAULT);
    int from_init = strcmp(getenv("FERRITE_COUNTERS"), "1") == 0;
    CHECK_EQ(first.pending_put, from_init);
    CHECK_EQ(first.completed_put, from_init);
    shmem_barrier_all(); /* it has arrived */
    on(one, SHMEM_CTX_DEFAULT);
    on(SHMEM_CTX_DEFAULT, one);
    on(two, one);
    CHECK_EQ(half, 3);
    shmem_ctx_destroy(two);
    shmem_ctx_destroy(one);
    CHECK_EQ(shmem_ctx_create(0, &one), 0); /* reuses the slot of a destroyed one */
    CHECK_EQ(all(one).pending_put, 0);
    CHECK_EQ(all(one).completed_get, 0);
    /* Operations that the library issues for itself are not counted. */
    shmemx_pcntr_t before = all(SHMEM_CTX_DEFAULT), after;
    long *block = need(sizeof *block);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, ring, from, 4), 0);
    shmem_free(block);
    after = all(SHMEM_CTX_DEFAULT);
    CHECK(after.pending_put == before.pending_put && after.pending_get == before.pending_get && after.target == before.target);
    end();
    return 0;
}
