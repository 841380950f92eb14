/* Correct but unusual programs, for three PEs: none of them has a finding. All run in one job. */
#define _GNU_SOURCE
#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, ROUNDS = 8 };

static int me, pes, next, before;

static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "PE %d: %s\n", me, what);
        shmem_global_exit(1);
    }
}

static void barrier_after_put(void)
{
    static int x;
    shmem_int_p(&x, me, next);
    shmem_barrier_all();
    must(x == before, "a put before a barrier");
}

static void quiet_and_sync(void)
{
    static int x;
    shmem_int_p(&x, me + 1, next);
    shmem_quiet();
    shmem_sync_all();
    must(x == before + 1, "quiet and sync");
}

static void quiet_of_some_pes(void)
{
    static int x, y;
    shmem_int_p(&x, me + 1, next);
    shmem_int_p(&y, me + 1, before);
    shmem_pe_quiet((int[]){next, before}, 2);
    must(shmem_int_g(&x, next) == me + 1 && shmem_int_g(&y, before) == me + 1, "quiet of some PEs");
    shmem_sync_all();
    must(x == before + 1 && y == next + 1, "quiet of some PEs, and sync");
}

static void flag_by_atomic(void)
{
    static int data[N], flag;
    int mine[N];
    for (int i = 0; i < N; i++)
        mine[i] = me * N + i;
    shmem_int_put(data, mine, N, next);
    shmem_fence();
    shmem_int_atomic_set(&flag, 1, next);
    shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
    for (int i = 0; i < N; i++)
        must(data[i] == before * N + i, "data behind an atomic flag");
    flag = 0;
}

static void flag_by_put(void)
{
    static int data[N];
    static long flag;
    int mine[N] = {me};
    shmem_int_put(data, mine, N, next);
    shmem_fence();
    shmem_long_p(&flag, 1, next);
    shmem_long_wait_until(&flag, SHMEM_CMP_NE, 0);
    must(data[0] == before, "data behind a flag that was put");
    flag = 0;
}

static void flag_tested(void)
{
    static int data, flag;
    shmem_int_p(&data, me + 5, next);
    shmem_fence();
    shmem_int_atomic_inc(&flag, next);
    while (!shmem_int_test(&flag, SHMEM_CMP_GE, 1))
        ;
    must(data == before + 5, "data behind a flag that is tested");
}

static void flag_fetched(void)
{
    static int data, flag;
    shmem_int_p(&data, me + 5, next);
    shmem_fence();
    shmem_int_atomic_inc(&flag, next);
    while (shmem_int_atomic_fetch(&flag, me) == 0)
        ;
    must(data == before + 5, "data behind a flag that is fetched");
}

static void signals(void)
{
    static int data[N];
    static uint64_t signal;
    int mine[N] = {me};
    shmem_int_put_signal(data, mine, N, &signal, 1, SHMEM_SIGNAL_SET, next);
    must(shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 1) == 1 && data[0] == before, "data with a signal");
    signal = 0;
}

static void signal_polled(void)
{
    static int data;
    static uint64_t signal;
    shmem_int_put_signal_nbi(&data, &me, 1, &signal, 1, SHMEM_SIGNAL_ADD, next);
    while (shmem_signal_fetch(&signal) != 1)
        ;
    must(data == before, "data with a signal that is polled");
    shmem_quiet();
}

static void double_buffers(void)
{
    static int data[2][N];
    static uint64_t full, empty;
    int mine[2][N];
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        int *from = mine[round % 2], *to = data[round % 2];
        if (round > 2)
            shmem_signal_wait_until(&empty, SHMEM_CMP_GE, round - 2);
        for (int i = 0; i < N; i++)
            from[i] = (int)round + i;
        shmem_int_put_signal_nbi(to, from, N, &full, round, SHMEM_SIGNAL_SET, next);
        shmem_signal_wait_until(&full, SHMEM_CMP_GE, round);
        must(to[N - 1] == (int)round + N - 1, "a buffer");
        shmem_signal_set(&empty, round, before);
        shmem_quiet();
    }
}

static void neighbours(void)
{
    static double row[N + 2];
    static long left, right;
    for (long step = 1; step <= ROUNDS; step++) {
        shmem_double_p(&row[0], me + step, next);
        shmem_double_p(&row[N + 1], me - step, before);
        shmem_fence();
        shmem_long_atomic_set(&left, step, next);
        shmem_long_atomic_set(&right, step, before);
        shmem_long_wait_until(&left, SHMEM_CMP_GE, step);
        shmem_long_wait_until(&right, SHMEM_CMP_GE, step);
        for (int i = 1; i <= N; i++)
            row[i] = row[i - 1] + row[i + 1];
        shmem_barrier_all();
    }
}

static void ping_pong(void)
{
    static int ball;
    static uint64_t here;
    int mine;
    for (uint64_t round = 1; round <= ROUNDS && me < 2; round++) {
        if (me == 0) {
            mine = (int)round;
            shmem_int_put_signal_nbi(&ball, &mine, 1, &here, round, SHMEM_SIGNAL_SET, 1);
            shmem_signal_wait_until(&here, SHMEM_CMP_EQ, round);
            must(ball == (int)round + 1, "the ball came back");
            mine = 0;
        } else {
            shmem_signal_wait_until(&here, SHMEM_CMP_EQ, round);
            mine = ball + 1;
            shmem_int_put_signal(&ball, &mine, 1, &here, round, SHMEM_SIGNAL_SET, 0);
        }
    }
}

static void locks(void)
{
    static long lock;
    static int count;
    for (int i = 0; i < ROUNDS; i++) {
        shmem_set_lock(&lock);
        shmem_int_p(&count, shmem_int_g(&count, 0) + 1, 0);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    must(me != 0 || count == pes * ROUNDS, "a count under a lock");
}

static void spin_lock(void)
{
    static int lock, count;
    for (int i = 0; i < ROUNDS; i++) {
        while (shmem_int_atomic_compare_swap(&lock, 0, 1, 0) != 0)
            ;
        shmem_int_p(&count, shmem_int_g(&count, 0) + 1, 0);
        shmem_quiet();
        shmem_int_atomic_set(&lock, 0, 0);
        shmem_quiet();
    }
    shmem_barrier_all();
    must(me != 0 || count == pes * ROUNDS, "a count under a lock of one's own");
}

static void queue(void)
{
    static long tail, slots[3 * ROUNDS], full[3 * ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        long at = shmem_long_atomic_fetch_inc(&tail, 0);
        shmem_long_p(&slots[at], me + 1, 0);
        shmem_fence();
        shmem_long_atomic_set(&full[at], 1, 0);
    }
    long sum = 0;
    for (int i = 0; me == 0 && i < pes * ROUNDS; i++) {
        shmem_long_wait_until(&full[i], SHMEM_CMP_EQ, 1);
        sum += slots[i];
    }
    must(me != 0 || sum == ROUNDS * (1 + 2 + 3), "what came through the queue");
}

static void stack_by_swap(void)
{
    static long head = -1, links[64];
    long mine = me * 4;
    for (int i = 0; i < 4; i++) {
        long old = shmem_long_atomic_fetch(&head, 0), seen;
        do {
            seen = old;
            shmem_long_p(&links[mine + i], seen, 0);
            shmem_fence();
            old = shmem_long_atomic_compare_swap(&head, seen, mine + i, 0);
            shmem_quiet();
        } while (old != seen);
    }
    shmem_barrier_all();
    int length = 0;
    for (long at = head; me == 0 && at >= 0; at = links[at])
        length++;
    must(me != 0 || length == 4 * pes, "the stack's length");
}

static void counters(void)
{
    static int count;
    for (int to = 0; to < pes; to++)
        shmem_int_atomic_inc(&count, to);
    shmem_int_wait_until(&count, SHMEM_CMP_EQ, pes);
    must(count == pes, "a counter of all");
}

static void pointers(void)
{
    static int x;
    static uint64_t here;
    int *there = shmem_ptr(&x, next);
    if (!there)
        return;
    *there = me + 3;
    shmem_fence();
    shmem_signal_set(&here, 1, next);
    shmem_signal_wait_until(&here, SHMEM_CMP_EQ, 1);
    must(x == before + 3, "a store by a pointer");
}

static void reused_source(void)
{
    static int x[N];
    int mine[N];
    for (int i = 0; i < ROUNDS; i++) {
        memset(mine, i, sizeof mine);
        shmem_int_put(x, mine, N, next);
        shmem_fence();
    }
    shmem_barrier_all();
    must(memcmp(x, mine, sizeof mine) == 0, "the last put");
}

static void results_after_quiet(void)
{
    static int x;
    int got = -1, old = -1;
    x = me;
    shmem_barrier_all();
    shmem_int_get_nbi(&got, &x, 1, next);
    shmem_quiet();
    must(got == next, "a get after quiet");
    shmem_barrier_all();
    shmem_int_atomic_fetch_add_nbi(&old, &x, 10, next);
    shmem_quiet();
    must(old == next, "an old value after quiet");
}

static void contexts(void)
{
    static int x[2];
    shmem_ctx_t one, two;
    shmem_ctx_create(0, &one);
    shmem_ctx_create(SHMEM_CTX_SERIALIZED, &two);
    shmem_ctx_int_p(one, &x[0], me, next);
    shmem_ctx_int_p(two, &x[1], me, next);
    shmem_ctx_quiet(one);
    shmem_ctx_destroy(two);
    shmem_sync_all();
    must(x[0] == before && x[1] == before, "puts of two contexts");
    shmem_ctx_destroy(one);
}

static shmem_ctx_t of_thread[2];
static int by_threads[2];

static void *put_by_thread(void *number)
{
    long at = (long)number;
    shmem_ctx_create(SHMEM_CTX_PRIVATE, &of_thread[at]);
    shmem_ctx_int_p(of_thread[at], &by_threads[at], me + 1, next);
    shmem_ctx_quiet(of_thread[at]);
    shmem_ctx_destroy(of_thread[at]);
    return NULL;
}

static void contexts_of_threads(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, put_by_thread, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    shmem_sync_all();
    must(by_threads[0] == before + 1 && by_threads[1] == before + 1, "puts of two threads");
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int under_mutex;

static void *add_under_mutex(void *nothing)
{
    for (int i = 0; i < ROUNDS; i++) {
        int got;
        pthread_mutex_lock(&mutex);
        shmem_int_get(&got, &under_mutex, 1, me);
        got++;
        shmem_int_put(&under_mutex, &got, 1, me);
        shmem_quiet();
        pthread_mutex_unlock(&mutex);
    }
    return nothing;
}

static void threads_under_mutex(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add_under_mutex, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    must(under_mutex == 2 * ROUNDS, "a count of two threads");
}

static shmem_ctx_t in_turn;
static int by_turns[2];

static void *put_in_turn(void *number)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        shmem_ctx_int_p(in_turn, &by_turns[(long)number], i, next);
        shmem_ctx_quiet(in_turn);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void a_context_in_turn(void)
{
    pthread_t threads[2];
    shmem_ctx_create(SHMEM_CTX_SERIALIZED, &in_turn);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, put_in_turn, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    shmem_ctx_destroy(in_turn);
    shmem_barrier_all();
    must(by_turns[0] == ROUNDS - 1 && by_turns[1] == ROUNDS - 1, "puts of threads in turn");
}

static void active_sets_in_turn(void)
{
    static long sync[2][SHMEM_REDUCE_SYNC_SIZE], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 2], x, sum;
    for (int i = 0; i < ROUNDS; i++) {
        x = me + i;
        shmem_long_sum_to_all(&sum, &x, 1, 0, 0, pes, work, sync[i % 2]);
        must(sum == pes * (pes - 1) / 2 + (long)pes * i, "a sum over an active set");
        shmem_barrier(0, 0, pes, sync[(i + 1) % 2]);
    }
}

static void sets_of_some(void)
{
    static long ours[2][SHMEM_BCAST_SYNC_SIZE], theirs[SHMEM_BARRIER_SYNC_SIZE];
    static int64_t x, got;
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++)
        ours[0][i] = ours[1][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        theirs[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (int i = 0; i < ROUNDS; i++) {
        /* Between PEs 0 and 2; PE 1 uses a separate array at the same time. */
        x = i;
        if (me != 1)
            shmem_broadcast64(&got, &x, 1, 0, 0, 1, 2, ours[i % 2]);
        must(me != 2 || got == i, "a broadcast in an active set");
        if (me == 1)
            shmem_barrier(1, 0, 1, theirs);
        else
            shmem_barrier(0, 1, 2, theirs);
        shmem_barrier_all();
    }
    /* A barrier's array may be used again at once. */
    for (int i = 0; i < ROUNDS; i++)
        shmem_sync(0, 0, pes, theirs);
}

static void sessions(void)
{
    static int x;
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
    for (int i = 0; i < ROUNDS; i++)
        shmem_ctx_int_atomic_add(ctx, &x, i, next);
    shmem_ctx_session_stop(ctx);
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();
    must(x == ROUNDS * (ROUNDS - 1) / 2, "a sum in a session");
}

static void signals_added_up(void)
{
    static uint64_t all;
    static int data[3];
    for (int to = 0; to < pes; to++)
        shmem_int_put_signal(&data[me], &me, 1, &all, 1, SHMEM_SIGNAL_ADD, to);
    shmem_signal_wait_until(&all, SHMEM_CMP_EQ, (uint64_t)pes);
    must(data[0] + data[1] + data[2] == 3, "data of all");
}

static void teams(void)
{
    static int x, sum;
    shmem_team_t two;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, 2, NULL, 0, &two);
    if (two != SHMEM_TEAM_INVALID) {
        x = me;
        shmem_int_sum_reduce(two, &sum, &x, 1);
        must(sum == 2, "a sum over a team");
        shmem_team_sync(two);
        shmem_team_destroy(two);
    }
}

static void collectives_in_turn(void)
{
    static int given[N], taken[3 * N], all[3 * N];
    for (int i = 0; i < ROUNDS; i++) {
        given[0] = me + i;
        shmem_sync_all();
        shmem_int_fcollect(SHMEM_TEAM_WORLD, taken, given, N);
        must(taken[2 * N] == 2 + i, "fcollect");
        shmem_sync_all();
        shmem_int_alltoall(SHMEM_TEAM_WORLD, all, taken, N);
        shmem_sync_all();
        shmem_int_broadcast(SHMEM_TEAM_WORLD, given, all, 1, i % pes);
        shmem_sync_all();
        shmem_int_max_reduce(SHMEM_TEAM_WORLD, given, given, 1);
        shmem_sync_all();
        shmem_int_collect(SHMEM_TEAM_WORLD, taken, given, (size_t)me);
        shmem_sync_all();
        shmem_int_sum_inscan(SHMEM_TEAM_WORLD, all, given, 2);
    }
}

static void blocks(void)
{
    char *block = shmem_malloc(100), *other = shmem_calloc(10, 10);
    memset(block, me, 100);
    shmem_putmem(other, block, 100, next);
    shmem_barrier_all();
    must(other[99] == before, "the last byte of a block");
    block = shmem_realloc(block, 5000);
    must(block[99] == me, "what realloc keeps");
    shmem_free(other);
    other = shmem_align(256, 33);
    shmem_putmem(other, block + 4967, 33, next);
    shmem_barrier_all();
    shmem_free(block);
    shmem_free(other);
}

static void nothing_at_all(void)
{
    shmem_int_put(NULL, NULL, 0, next);
    shmem_int_get_nbi(NULL, NULL, 0, next);
    shmem_free(NULL);
    must(shmem_malloc(0) == NULL, "a block of no bytes");
    shmem_int_wait_until_all(NULL, 0, NULL, SHMEM_CMP_EQ, 0);
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, NULL, NULL, 0);
}

static void strided(void)
{
    static int row[4 * N];
    int mine[N], got[N];
    for (int i = 0; i < N; i++)
        mine[i] = me + i;
    shmem_int_iput(row, mine, 4, 1, N, next);
    /* The words in between belong to the other PE */
    for (int i = 0; i < N; i++)
        row[4 * i + 1] = i;
    shmem_barrier_all();
    shmem_int_iget(got, row, 1, 4, N, me);
    must(got[N - 1] == before + N - 1, "a column");
}

static void many_waits(void)
{
    static int flags[3], data[3];
    for (int to = 0; to < pes; to++) {
        shmem_int_p(&data[me], me + 1, to);
        shmem_fence();
        shmem_int_atomic_set(&flags[me], 1, to);
    }
    int status[3] = {0}, left = pes, sum = 0;
    while (left-- > 0) {
        size_t at = shmem_int_wait_until_any(flags, (size_t)pes, status, SHMEM_CMP_EQ, 1);
        status[at] = 1;
        sum += data[at];
    }
    must(sum == 6, "what came in any order");
}

static void words_side_by_side(void)
{
    static char bytes[8];
    char mine = (char)me;
    shmem_char_put(&bytes[me], &mine, 1, 0);
    if (me == 0)
        bytes[7] = 1;
    shmem_barrier_all();
    must(me != 0 || bytes[2] == 2, "bytes of one word");
}

static void fetch_and_add_tickets(void)
{
    static long ticket, turn, count;
    for (int i = 0; i < ROUNDS; i++) {
        long mine = shmem_long_atomic_fetch_inc(&ticket, 0);
        while (shmem_long_atomic_fetch(&turn, 0) != mine)
            ;
        shmem_long_p(&count, shmem_long_g(&count, 0) + 1, 0);
        shmem_quiet();
        shmem_long_atomic_inc(&turn, 0);
        shmem_quiet();
    }
    shmem_barrier_all();
    must(me != 0 || count == pes * ROUNDS, "a count by tickets");
}

/* Failed allocations change nothing, and allocations of 0 bytes do nothing. */
static void failing_allocations(void)
{
    int *block = shmem_malloc(5 * sizeof *block);
    block[4] = me;
    must(shmem_malloc(SIZE_MAX) == NULL && shmem_calloc(SIZE_MAX / 2, 3) == NULL, "no block as large");
    must(shmem_realloc(block, SIZE_MAX / 2) == NULL, "nor for what a block holds");
    shmem_barrier_all();
    must(shmem_int_g(&block[4], next) == next, "the block is still there");
    shmem_barrier_all();
    if (me == 0)
        must(shmem_malloc(0) == NULL && shmem_realloc(NULL, 0) == NULL, "no block of no bytes");
    must(shmem_realloc(block, 0) == NULL, "a block is freed");
}

/* A PE that returns from the second call knows that all have returned from the first. */
static void two_psyncs_in_turn(void)
{
    static long psync[2][SHMEM_REDUCE_SYNC_SIZE], sum[2], given[2], work[2][SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    for (int i = 0; i < 200; i++) {
        given[i % 2] = me + i;
        shmem_long_sum_to_all(&sum[i % 2], &given[i % 2], 1, 0, 0, pes, work[i % 2], psync[i % 2]);
        must(sum[i % 2] == 3 * i + 3, "a sum");
    }
}

/* The contributions of members may have any length, including 0. */
static void collects_of_different_sizes(void)
{
    static long psync[2][SHMEM_COLLECT_SYNC_SIZE];
    static uint64_t all[3 * 3], mine[3];
    for (int i = 0; i < 6; i++) {
        mine[0] = mine[1] = mine[2] = (uint64_t)me + 1;
        shmem_collect64(all, mine, (size_t)me, 0, 0, pes, psync[i % 2]);
        must(all[0] == 2 && all[1] == 3 && all[2] == 3, "what came together");
        shmem_barrier_all();
    }
}

/* KiB of memory of this PE, including its part of shared memory; 0 if the kernel does not report it. */
static long in_memory(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long found = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        (void)sscanf(line, "Pss: %ld", &found);
    if (file != NULL)
        fclose(file);
    return found;
}

/* A block and its records take five times the size of the block, however often it is freed and allocated again. */
static void memory_in_bounds(void)
{
    enum { KIB = 16384, ROOM = 8192 }; /* the room is for large pages */
    const long begin = in_memory();
    if (begin == 0 && me == 0)
        puts("skipped: memory_in_bounds: /proc/self/smaps_rollup cannot be read");
    for (int round = 0; round < 3 && begin > 0; round++) {
        uint64_t *block = shmem_malloc(KIB * 1024);
        for (size_t i = 0; i < KIB * 1024 / sizeof *block; i++)
            block[i] = i;
        must(in_memory() - begin <= 5 * KIB + ROOM, "a block takes five times of its bytes");
        shmem_free(block);
        must(in_memory() - begin <= 5 * KIB + ROOM, "a freed block takes no more");
    }
}

/* Blocks with a gap between them, into which another PE puts meanwhile. An empty block has an offset that means nothing. */
static void gaps_between_blocks(void)
{
    static char from[64], to[64];
    static long psync[SHMEM_ALLTOALL_SYNC_SIZE];
    size_t offsets[3] = {1000000, 1000000, 1000000}, sizes[3] = {0}, came = 0;
    offsets[next] = 0, sizes[next] = 8;
    offsets[before] = 32, sizes[before] = 8;
    memset(from, 'a' + me, sizeof from);
    shmem_barrier_all();
    shmem_char_p(&from[16], 'x', next);
    shmemx_team_alltoallv_packed(to, sizeof to, &came, from, offsets, sizes, SHMEM_TEAM_WORLD, psync);
    must(came == 16 && to[0] == 'a' + (me == 0 ? 1 : 0), "gaps between blocks");
}

/* A static lock and a lock in the heap may be equally far from the beginning of their memory. */
static void static_lock_and_locks_in_the_heap(void)
{
    enum { FAR = 8192 };
    extern char __data_start[], _end[];
    static long locks[FAR];
    long *const held = &locks[FAR - 1];
    const size_t count = (size_t)(_end - __data_start) / sizeof *held;
    long *const others = shmem_calloc(count, sizeof *others);
    if (me == 0) {
        shmem_set_lock(held);
        for (size_t i = 0; i < count; i++) {
            shmem_set_lock(&others[i]);
            shmem_clear_lock(&others[i]);
        }
        shmem_clear_lock(held);
    }
    shmem_free(others);
}

static void (*const rows[])(void) = {
    /* First: the offsets of its blocks are small only as long as nothing was freed. */
    static_lock_and_locks_in_the_heap,
    barrier_after_put,    quiet_and_sync,      quiet_of_some_pes,   flag_by_atomic,      flag_by_put,         flag_tested,
    flag_fetched,         signals,             signal_polled,       double_buffers,      neighbours,
    ping_pong,            locks,               spin_lock,           queue,               stack_by_swap,
    counters,             pointers,            reused_source,       results_after_quiet, contexts,
    contexts_of_threads,  threads_under_mutex, active_sets_in_turn, teams,               collectives_in_turn,
    blocks,               nothing_at_all,      strided,             many_waits,          words_side_by_side,
    fetch_and_add_tickets, sets_of_some,       sessions,            signals_added_up,    a_context_in_turn,
    failing_allocations,  two_psyncs_in_turn,  collects_of_different_sizes, memory_in_bounds,
    gaps_between_blocks,
};

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    pes = shmem_n_pes();
    next = (me + 1) % pes;
    before = (me + pes - 1) % pes;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        shmem_barrier_all();
        rows[i]();
        shmem_barrier_all();
    }
    if (me == 0)
        printf("%zu right programs\n", sizeof rows / sizeof *rows);
    shmem_finalize();
    return 0;
}
