/* Incorrect programs, one a function, for three PEs. Lines that a finding must name end in a mark, which the test reads. After mild mistakes
 * the program continues, so all of these run in one job; each of the others is a job of its own.
 *
 *     mistakes --list         the table: name, kind of the finding, mild, grave or a thread level
 *     mistakes NAME           one row
 *     mistakes --mild         all mild rows
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, pes;
static volatile long sink;

/* Nothing is shared between rows. */
#define OBJECTS static int x, y; static long word; static uint64_t flag, other; (void)x, (void)y, (void)word, (void)flag, (void)other

static void put_and_load(void)
{
    OBJECTS;
    int one = 1;
    if (me == 0)
        shmem_int_put(&x, &one, 1, 1); /*!*/
    if (me == 1)
        sink = x; /*!*/
}

static void put_and_store(void)
{
    OBJECTS;
    int one = 1;
    if (me == 0)
        shmem_int_put(&x, &one, 1, 1); /*!*/
    if (me == 1)
        x = 2; /*!*/
}

static void puts_of_two(void)
{
    OBJECTS;
    if (me == 0)
        shmem_int_p(&x, 1, 1); /*!*/
    if (me == 2)
        shmem_int_p(&x, 2, 1); /*!*/
}

static void own_put_own_get(void)
{
    OBJECTS;
    if (me == 0) {
        shmem_int_p(&x, 1, 1); /*!*/
        sink = shmem_int_g(&x, 1); /*!*/
    }
}

static void own_puts_without_fence(void)
{
    OBJECTS;
    if (me == 0) {
        shmem_int_p(&x, 1, 1); /*!*/
        shmem_int_p(&x, 2, 1); /*!*/
    }
}

static void flag_without_fence(void)
{
    OBJECTS;
    if (me == 0) {
        shmem_int_p(&x, 1, 1); /*!*/
        shmem_uint64_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_uint64_wait_until(&flag, SHMEM_CMP_EQ, 1);
        sink = x; /*!*/
    }
}

static void flag_by_put_without_fence(void)
{
    OBJECTS;
    if (me == 0) {
        shmem_int_p(&x, 1, 1); /*!*/
        shmem_uint64_p(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_uint64_wait_until(&flag, SHMEM_CMP_EQ, 1);
        sink = x; /*!*/
    }
}

static void fence_for_another_pe(void)
{
    OBJECTS;
    if (me == 0) {
        shmem_int_p(&x, 1, 1); /*!*/
        shmem_fence();
        shmem_uint64_atomic_set(&flag, 1, 2);
    }
    if (me == 2) {
        shmem_uint64_wait_until(&flag, SHMEM_CMP_EQ, 1);
        sink = shmem_int_g(&x, 1); /*!*/
    }
}

static void quiet_tells_nobody(void)
{
    OBJECTS;
    if (me == 0) {
        shmem_int_p(&x, 1, 1); /*!*/
        shmem_quiet();
    }
    if (me == 1)
        sink = x; /*!*/
}

static void quiet_of_another_pe(void)
{
    OBJECTS;
    if (me == 0) {
        shmem_int_p(&x, 1, 1); /*!*/
        shmem_pe_quiet(&(int){2}, 1);
        sink = shmem_int_g(&x, 1); /*!*/
    }
}

static void sync_completes_nothing(void)
{
    OBJECTS;
    if (me == 0)
        shmem_int_p(&x, 1, 1); /*!*/
    shmem_sync_all();
    if (me == 1)
        sink = x; /*!*/
}

static void source_changed(void)
{
    OBJECTS;
    int one = 1;
    if (me == 0) {
        shmem_int_put_nbi(&x, &one, 1, 1); /*!*/
        one = 2; /*!*/
        shmem_quiet();
    }
    sink = one;
}

static void source_changed_again(void)
{
    static int source[4], target[4];
    source[1] = me;
    if (me == 0) {
        shmem_int_put_nbi(target, source, 4, 1); /*!*/
        source[1] = 2; /*!*/
        shmem_quiet();
    }
}

static void result_read_too_early(void)
{
    OBJECTS;
    int got = 0;
    if (me == 0) {
        shmem_int_get_nbi(&got, &x, 1, 1); /*!*/
        sink = got; /*!*/
        shmem_quiet();
    }
}

static void one_buffer_for_two(void)
{
    OBJECTS;
    int got = 0;
    if (me == 0) {
        shmem_int_get_nbi(&got, &x, 1, 1); /*!*/
        shmem_int_get_nbi(&got, &y, 1, 1); /*!*/
        shmem_quiet();
    }
    sink = got;
}

static void fence_for_a_get(void)
{
    OBJECTS;
    int got = 0;
    if (me == 0) {
        shmem_int_get_nbi(&got, &x, 1, 1); /*!*/
        shmem_fence();
        shmem_int_p(&x, 2, 1); /*!*/
        shmem_quiet();
    }
    sink = got;
}

static void quiet_of_another_context(void)
{
    OBJECTS;
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    if (me == 0) {
        shmem_ctx_int_p(ctx, &x, 1, 1); /*!*/
        shmem_quiet();
        shmem_ctx_int_p(ctx, &x, 2, 1); /*!*/
    }
    shmem_ctx_destroy(ctx);
}

static void barrier_for_another_context(void)
{
    OBJECTS;
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    if (me == 0)
        shmem_ctx_int_p(ctx, &x, 1, 1); /*!*/
    shmem_barrier_all();
    if (me == 1)
        sink = x; /*!*/
    shmem_ctx_destroy(ctx);
}

static void atomic_and_store(void)
{
    OBJECTS;
    if (me == 0)
        shmem_int_atomic_add(&x, 1, 1); /*!*/
    if (me == 1)
        x = 7; /*!*/
}

static void atomic_and_get(void)
{
    OBJECTS;
    if (me == 0)
        sink = shmem_int_g(&x, 1); /*!*/
    if (me == 2)
        shmem_int_atomic_set(&x, 1, 1); /*!*/
}

static void atomics_of_two_types(void)
{
    OBJECTS;
    if (me == 0)
        shmem_int_atomic_set(&x, 1, 1); /*!*/
    if (me == 2)
        shmem_float_atomic_set((float *)&x, 1, 1); /*!*/
}

static void atomics_of_two_widths(void)
{
    OBJECTS;
    if (me == 0)
        shmem_int_atomic_add((int *)&word, 1, 1); /*!*/
    if (me == 2)
        shmem_long_atomic_add(&word, 1, 1); /*!*/
}

static void answer_read_too_early(void)
{
    OBJECTS;
    int got = 0;
    if (me == 0) {
        shmem_int_atomic_fetch_inc_nbi(&got, &x, 1); /*!*/
        sink = got; /*!*/
        shmem_quiet();
    }
}

static void signal_looked_at(void)
{
    OBJECTS;
    int one = 1;
    if (me == 0)
        shmem_int_put_signal(&x, &one, 1, &flag, 1, SHMEM_SIGNAL_SET, 1); /*!*/
    if (me == 1)
        sink = (long)flag; /*!*/
}

static void signal_for_other_data(void)
{
    OBJECTS;
    int one = 1;
    if (me == 0) {
        shmem_int_p(&x, 1, 1); /*!*/
        shmem_int_put_signal(&y, &one, 1, &flag, 1, SHMEM_SIGNAL_SET, 1);
    }
    if (me == 1) {
        shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, 1);
        sink = x; /*!*/
    }
}

static void signal_by_put_and_by_signal(void)
{
    OBJECTS;
    if (me == 0)
        shmem_uint64_p(&flag, 1, 1); /*!*/
    if (me == 2)
        shmem_signal_add(&flag, 1, 1); /*!*/
}

static void put_into_a_result(void)
{
    OBJECTS;
    static int given = 1;
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &x, &given, 1); /*!*/
    if (me == 0)
        shmem_int_p(&x, 5, 1); /*!*/
}

static void store_by_pointer(void)
{
    OBJECTS;
    int *there = shmem_ptr(&x, 1);
    if (me == 0)
        *there = 1; /*!*/
    if (me == 1)
        sink = x; /*!*/
}

static void strided_put(void)
{
    static int row[16];
    int ones[4] = {1, 1, 1, 1};
    if (me == 0)
        shmem_int_iput(row, ones, 4, 1, 4, 1); /*!*/
    if (me == 1)
        sink = row[8]; /*!*/
}

static void copy_and_put(void)
{
    static char text[256];
    char mine[256];
    memset(mine, me, sizeof mine);
    if (me == 0)
        shmem_putmem(text, mine, sizeof mine, 1); /*!*/
    if (me == 1)
        memcpy(mine, text, (size_t)pes * 64); /*!*/
    sink = mine[7];
}

static void *read_it(void *buffer)
{
    sink = *(int *)buffer; /*!*/
    return NULL;
}

static void buffer_of_two_threads(void)
{
    static int x;
    int got = 0;
    pthread_t thread;
    if (me != 0)
        return;
    pthread_create(&thread, NULL, read_it, &got);
    shmem_int_get(&got, &x, 1, 1);
    shmem_int_get_nbi(&got, &x, 1, 1); /*!*/
    shmem_quiet();
    pthread_join(thread, NULL);
}

static void put_beyond_the_block(void)
{
    int mine[12] = {0};
    int *block = shmem_malloc(10 * sizeof *block); /*!*/
    if (me == 0)
        shmem_int_put(block, mine, 12, 1); /*!*/
    shmem_barrier_all();
    shmem_free(block);
}

static void get_beyond_the_block(void)
{
    int mine[12];
    int *block = shmem_malloc(10 * sizeof *block); /*!*/
    if (me == 0)
        shmem_int_get(mine, block + 8, 4, 1); /*!*/
    shmem_barrier_all();
    shmem_free(block);
}

static void strided_beyond_the_block(void)
{
    int mine[4] = {0};
    int *block = shmem_malloc(10 * sizeof *block); /*!*/
    if (me == 0)
        shmem_int_iput(block, mine, 4, 1, 4, 1); /*!*/
    shmem_barrier_all();
    shmem_free(block);
}

static void store_behind_the_block(void)
{
    char *block = shmem_malloc(100); /*!*/
    if (me == 1)
        block[100 + (size_t)(pes - 3)] = 1;
    shmem_barrier_all();
    shmem_free(block);
}

static void put_after_free(void)
{
    int one = 1;
    int *block = shmem_malloc(64);
    int *last = shmem_malloc(64);
    shmem_free(block); /*!*/
    if (me == 0)
        shmem_int_put(block, &one, 1, 1); /*!*/
    shmem_free(last);
}

static void load_after_free(void)
{
    int *volatile block = shmem_malloc(64);
    int *last = shmem_malloc(64);
    shmem_free(block); /*!*/
    if (me == 0)
        sink = *block; /*!*/
    shmem_free(last);
}

static void overlapping_put(void)
{
    static int row[16];
    shmem_int_put(row + 2, row, 8, me); /*!*/
}

static void overlapping_reduction(void)
{
    static int row[16];
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, row + 1, row, 8); /*!*/
}

static shmem_ctx_t own;

static void *use_context(void *x)
{
    shmem_ctx_int_p(own, x, 1, 1); /*!*/
    return NULL;
}

static void private_context(void)
{
    static int x;
    pthread_t thread;
    shmem_ctx_create(SHMEM_CTX_PRIVATE, &own); /*!*/
    if (me == 0) {
        pthread_create(&thread, NULL, use_context, &x);
        pthread_join(thread, NULL);
    }
    shmem_ctx_destroy(own);
}

static void serialized_context(void)
{
    static int x;
    pthread_t thread;
    shmem_ctx_create(SHMEM_CTX_SERIALIZED, &own);
    if (me == 0) {
        pthread_create(&thread, NULL, use_context, &x);
        shmem_ctx_int_get(own, &pes, &pes, 1, 0); /*!*/
        pthread_join(thread, NULL);
    }
    shmem_ctx_destroy(own);
}

static uint64_t turn;

static void *set_turn(void *nothing)
{
    shmem_uint64_atomic_set(&turn, 1, me); /*!*/
    return nothing;
}

static void two_threads_at_once(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set_turn, NULL);
    shmem_uint64_wait_until(&turn, SHMEM_CMP_EQ, 1); /*!*/
    pthread_join(thread, NULL);
}

static void thread_that_may_not_call(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set_turn, NULL);
    pthread_join(thread, NULL);
}

static void signal_set_and_added_to(void)
{
    OBJECTS;
    if (me == 0)
        shmem_signal_set(&flag, 5, 1); /*!*/
    if (me == 2)
        shmem_signal_add(&flag, 1, 1); /*!*/
}

static void signal_set_and_added_to_with_data(void)
{
    OBJECTS;
    if (me == 0)
        shmem_int_put_signal(&x, &pes, 1, &flag, 5, SHMEM_SIGNAL_SET, 1); /*!*/
    if (me == 2)
        shmem_int_put_signal(&y, &pes, 1, &flag, 5, SHMEM_SIGNAL_ADD, 1); /*!*/
}

static void psync_not_initialised(void)
{
    static long psync[SHMEM_BARRIER_SYNC_SIZE];
    psync[5] = SHMEM_SYNC_VALUE + 7;
    shmem_barrier_all();
    shmem_barrier(0, 0, pes, psync); /*!*/
}

static void psync_initialised_late(void)
{
    static long psync[SHMEM_BARRIER_SYNC_SIZE];
    psync[0] = SHMEM_SYNC_VALUE; /* no PE knows that the other arrays are initialised */
    shmem_barrier(0, 0, pes, psync); /*!*/
}

static void psync_still_in_use(void)
{
    static long psync[SHMEM_BCAST_SYNC_SIZE];
    static int64_t x, y;
    shmem_broadcast64(&y, &x, 1, 0, 0, 0, pes, psync); /*!*/
    shmem_broadcast64(&y, &x, 1, 0, 0, 0, pes, psync); /*!*/
}

static void psync_on_the_stack(void)
{
    long psync[SHMEM_BARRIER_SYNC_SIZE] = {SHMEM_SYNC_VALUE};
    shmem_barrier(0, 0, pes, psync); /*!*/
}

static void team_left(void)
{
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team); /*!*/
}

static void session_left(void)
{
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0); /*!*/
}

static void context_left(void)
{
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx); /*!*/
}

static void block_left(void)
{
    sink = shmem_malloc(1000) != NULL; /*!*/
}

static void lock_left(void)
{
    static long lock;
    if (me == 0)
        shmem_set_lock(&lock); /*!*/
}

static void another_collective(void)
{
    if (me == 0)
        shmem_sync_all(); /*!*/
    else
        shmem_barrier_all(); /*!*/
}

static void set_of_others(void)
{
    static long psync[SHMEM_BARRIER_SYNC_SIZE];
    shmem_barrier(0, 0, pes - 1, psync); /*!*/
}

static void (*at_the_end)(void);

static void finalize_once_more(void)
{
    if (at_the_end == NULL)
        at_the_end = finalize_once_more;
    else
        shmem_finalize(); /*!*/
}

static void another_root(void)
{
    static int x, y;
    shmem_int_broadcast(SHMEM_TEAM_WORLD, &x, &y, 1, me == 1 ? 1 : 0); /*!*/
}

static void another_count(void)
{
    static int x[4], y[4];
    if (me == 2)
        shmem_int_sum_reduce(SHMEM_TEAM_WORLD, x, y, 3); /*!*/
    else
        shmem_int_sum_reduce(SHMEM_TEAM_WORLD, x, y, 4); /*!*/
}

static void another_type(void)
{
    static long x, y;
    if (me == 2)
        shmem_int_sum_reduce(SHMEM_TEAM_WORLD, (int *)&x, (int *)&y, 1); /*!*/
    else
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &x, &y, 1); /*!*/
}

static void another_operation(void)
{
    static long x, y;
    if (me == 2)
        shmem_long_max_reduce(SHMEM_TEAM_WORLD, &x, &y, 1); /*!*/
    else
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &x, &y, 1); /*!*/
}

static void another_set(void)
{
    static long psync[SHMEM_BARRIER_SYNC_SIZE];
    if (me == 1)
        shmem_barrier(0, 0, pes - 1, psync); /*!*/
    else
        shmem_barrier(0, 0, pes, psync); /*!*/
}

static void another_team(void)
{
    shmem_team_t team;
    if (me == 1)
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 3, NULL, 0, &team); /*!*/
    else
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &team); /*!*/
}

static void another_xrange(void)
{
    shmem_team_t rows, columns;
    shmem_team_split_2d(SHMEM_TEAM_WORLD, me == 1 ? 3 : 2, NULL, 0, &rows, NULL, 0, &columns); /*!*/
}

static void another_size(void)
{
    sink = shmem_malloc(me == 1 ? 64 : 128) != NULL; /*!*/
}

static void lock_of_another(void)
{
    static long lock;
    if (me == 0)
        shmem_set_lock(&lock);
    shmem_barrier_all();
    if (me == 1)
        shmem_clear_lock(&lock); /*!*/
}

static void lock_taken_twice(void)
{
    static long lock;
    if (me == 0) {
        shmem_set_lock(&lock); /*!*/
        shmem_set_lock(&lock); /*!*/
    }
}

static void free_twice(void)
{
    void *block = shmem_malloc(64);
    shmem_free(block); /*!*/
    shmem_free(block); /*!*/
}

static void free_inside(void)
{
    char *block = shmem_malloc(64); /*!*/
    shmem_free(block + 8); /*!*/
}

static void no_such_pe(void)
{
    OBJECTS;
    if (me == 0)
        shmem_int_p(&x, 1, pes); /*!*/
}

static void put_to_the_stack(void)
{
    int mine = 0;
    if (me == 0)
        shmem_int_p(&mine, 1, 1); /*!*/
}

static void unaligned_atomic(void)
{
    OBJECTS;
    if (me == 0)
        shmem_int_atomic_inc((int *)((char *)&word + 1), 1); /*!*/
}

static void put_beyond_all_memory(void)
{
    OBJECTS;
    if (me == 0)
        shmem_putmem(&x, &y, (size_t)1 << 62, 1); /*!*/
}

static void put_from_nowhere(void)
{
    if (me == 0)
        shmem_int_put(NULL, &pes, 1, 1); /*!*/
}

static void context_destroyed(void)
{
    OBJECTS;
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    shmem_ctx_destroy(ctx);
    if (me == 0)
        shmem_ctx_int_p(ctx, &x, 1, 1); /*!*/
}

static void wait_on_the_stack(void)
{
    int mine = 0;
    if (me == 0)
        shmem_int_wait_until(&mine, SHMEM_CMP_EQ, 0); /*!*/
}

struct row {
    const char *name, *kind, *weight;
    void (*act)(void);
};

#define MILD(kind, act) {#act, kind, "mild", act}
#define GRAVE(kind, act) {#act, kind, "grave", act}
/* Of another thread level. */
#define SERIALIZED(kind, act) {#act, kind, "serialized", act}
#define FUNNELED(kind, act) {#act, kind, "funneled", act}

static const struct row rows[] = {
    MILD("race", put_and_load),
    MILD("race", put_and_store),
    MILD("race", puts_of_two),
    MILD("race", own_put_own_get),
    MILD("race", own_puts_without_fence),
    MILD("race", flag_without_fence),
    MILD("race", flag_by_put_without_fence),
    MILD("race", fence_for_another_pe),
    MILD("race", quiet_tells_nobody),
    MILD("race", quiet_of_another_pe),
    MILD("race", sync_completes_nothing),
    MILD("race", source_changed),
    MILD("race", source_changed_again),
    MILD("race", result_read_too_early),
    MILD("race", one_buffer_for_two),
    MILD("race", fence_for_a_get),
    MILD("race", quiet_of_another_context),
    MILD("race", barrier_for_another_context),
    MILD("race", atomic_and_store),
    MILD("race", atomic_and_get),
    MILD("race", atomics_of_two_types),
    MILD("race", atomics_of_two_widths),
    MILD("race", answer_read_too_early),
    MILD("race", signal_looked_at),
    MILD("race", signal_for_other_data),
    MILD("race", signal_by_put_and_by_signal),
    MILD("race", put_into_a_result),
    MILD("race", store_by_pointer),
    MILD("race", strided_put),
    MILD("race", copy_and_put),
    MILD("race", buffer_of_two_threads),
    MILD("range", put_beyond_the_block),
    MILD("range", get_beyond_the_block),
    MILD("range", strided_beyond_the_block),
    MILD("overrun", store_behind_the_block),
    MILD("use-after-free", put_after_free),
    MILD("use-after-free", load_after_free),
    MILD("overlap", overlapping_put),
    MILD("overlap", overlapping_reduction),
    MILD("thread", private_context),
    MILD("thread", serialized_context),
    SERIALIZED("thread", two_threads_at_once),
    FUNNELED("thread", thread_that_may_not_call),
    MILD("race", signal_set_and_added_to),
    MILD("race", signal_set_and_added_to_with_data),
    MILD("psync", psync_not_initialised),
    MILD("psync", psync_initialised_late),
    MILD("psync", psync_still_in_use),
    MILD("psync", psync_on_the_stack),
    MILD("leak", team_left),
    MILD("leak", session_left),
    MILD("leak", context_left),
    MILD("leak", block_left),
    MILD("lock", lock_left),
    MILD("collective", set_of_others),
    GRAVE("finalize", finalize_once_more),
    GRAVE("collective", another_collective),
    GRAVE("collective", another_root),
    GRAVE("collective", another_count),
    GRAVE("collective", another_type),
    GRAVE("collective", another_operation),
    GRAVE("collective", another_set),
    GRAVE("collective", another_team),
    GRAVE("collective", another_xrange),
    GRAVE("collective", another_size),
    GRAVE("lock", lock_of_another),
    GRAVE("lock", lock_taken_twice),
    GRAVE("double-free", free_twice),
    GRAVE("bad-free", free_inside),
    GRAVE("argument", no_such_pe),
    GRAVE("argument", put_to_the_stack),
    GRAVE("argument", unaligned_atomic),
    GRAVE("argument", put_beyond_all_memory),
    GRAVE("argument", put_from_nowhere),
    GRAVE("argument", context_destroyed),
    MILD("argument", wait_on_the_stack),
};

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "";
    size_t count = sizeof rows / sizeof *rows;
    if (!strcmp(wanted, "--list")) {
        for (size_t i = 0; i < count; i++)
            printf("%s\t%s\t%s\n", rows[i].name, rows[i].kind, rows[i].weight);
        return 0;
    }
    int level = SHMEM_THREAD_MULTIPLE, provided;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(wanted, rows[i].name))
            level = !strcmp(rows[i].weight, "serialized") ? SHMEM_THREAD_SERIALIZED
                    : !strcmp(rows[i].weight, "funneled") ? SHMEM_THREAD_FUNNELED
                                                          : level;
    shmem_init_thread(level, &provided);
    me = shmem_my_pe();
    pes = shmem_n_pes();
    for (size_t i = 0; i < count; i++) {
        if (strcmp(wanted, "--mild") ? strcmp(wanted, rows[i].name) : strcmp(rows[i].weight, "mild"))
            continue;
        shmem_barrier_all();
        rows[i].act();
        shmem_barrier_all();
    }
    shmem_finalize();
    if (at_the_end != NULL)
        at_the_end();
    return 0;
}
