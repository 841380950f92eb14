// pes: 1 2
// each: SHMEM_TRANSPORT = auto | tcp
// A child of fork is not a PE: its first call of the library ends it, naming the routine, and its parent continues as if the
// child had not called. So each child prints only that line, and the parent's barriers, words, locks and finalize work as
// before.
#include "check.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static long word, sum[2] = {1, 0}, lock;
static uint64_t sig;
static shmem_ctx_t ctx;
static long *block;
static int to;

#define CALLS(call) \
    call(shmem_my_pe, (void)shmem_my_pe()) \
    call(shmem_n_pes, (void)shmem_n_pes()) \
    call(shmem_init, shmem_init()) \
    call(shmem_init_thread, { int got; shmem_init_thread(SHMEM_THREAD_MULTIPLE, &got); }) \
    call(shmem_query_thread, { int got; shmem_query_thread(&got); }) \
    call(shmem_finalize, shmem_finalize()) \
    call(shmem_global_exit, shmem_global_exit(3)) \
    call(shmem_ptr, (void)shmem_ptr(&word, to)) \
    call(shmem_pe_accessible, (void)shmem_pe_accessible(to)) \
    call(shmem_malloc, (void)shmem_malloc(8)) \
    call(shmem_free, shmem_free(block)) \
    call(shmem_long_put, shmem_long_put(&word, &sum[0], 1, to)) \
    call(shmem_long_p, shmem_long_p(block, 9, to)) \
    call(shmem_long_get, shmem_long_get(&sum[1], block, 1, to)) \
    call(shmem_long_g, (void)shmem_long_g(&word, to)) \
    call(shmem_long_put_nbi, shmem_long_put_nbi(block, &sum[0], 1, to)) \
    call(shmem_long_iput, shmem_long_iput(block, sum, 1, 1, 2, to)) \
    call(shmem_ctx_long_p, shmem_ctx_long_p(ctx, block, 9, to)) \
    call(shmem_long_put_signal, shmem_long_put_signal(block, sum, 1, &sig, 1, SHMEM_SIGNAL_ADD, to)) \
    call(shmem_long_atomic_inc, shmem_long_atomic_inc(&word, to)) \
    call(shmem_long_atomic_fetch, (void)shmem_long_atomic_fetch(&word, to)) \
    call(shmem_signal_fetch, (void)shmem_signal_fetch(&sig)) \
    call(shmem_fence, shmem_fence()) \
    call(shmem_quiet, shmem_quiet()) \
    call(shmem_ctx_quiet, shmem_ctx_quiet(ctx)) \
    call(shmem_ctx_create, { shmem_ctx_t made; shmem_ctx_create(0, &made); }) \
    call(shmem_ctx_destroy, shmem_ctx_destroy(ctx)) \
    call(shmem_long_wait_until, shmem_long_wait_until(&sum[0], SHMEM_CMP_EQ, 1)) \
    call(shmem_long_test, (void)shmem_long_test(&sum[0], SHMEM_CMP_EQ, 1)) \
    call(shmem_set_lock, shmem_set_lock(&lock)) \
    call(shmem_clear_lock, shmem_clear_lock(&lock)) \
    call(shmem_team_my_pe, (void)shmem_team_my_pe(SHMEM_TEAM_WORLD)) \
    call(shmem_team_sync, (void)shmem_team_sync(SHMEM_TEAM_WORLD)) \
    call(shmem_long_sum_reduce, (void)shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum[1], &sum[0], 1)) \
    call(shmem_sync_all, shmem_sync_all()) \
    call(shmem_barrier_all, shmem_barrier_all())

#define FUNCTION(routine, ...) \
    static void calls_##routine(void) \
    { \
        __VA_ARGS__; \
    }
CALLS(FUNCTION)

#define ROW(routine, ...) {#routine, calls_##routine},
static const struct {
    const char *routine;
    void (*call)(void);
} rows[] = {CALLS(ROW)};

// Run a call in a child. Return the child's output on standard error.
static const char *said_by_child(void (*call)(void), int *status)
{
    static char said[4096];
    int ends[2];
    CHECK(pipe(ends) == 0);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], 2);
        call();
        _exit(0);
    }
    close(ends[1]);
    size_t len = 0;
    for (ssize_t got; (got = read(ends[0], said + len, sizeof said - 1 - len)) > 0;) len += (size_t)got;
    said[len] = 0;
    close(ends[0]);
    CHECK(waitpid(child, status, 0) == child);
    return said;
}

static void is_refused(const char *routine, void (*call)(void))
{
    int status;
    const char *said = said_by_child(call, &status);
    char expected[256];
    snprintf(expected, sizeof expected, ": %s: called in a child of fork, which is not a PE; ", routine);
    const char *end = strchr(said, '\n');
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 70 || !strstr(said, expected) || !end || end[1])
        FAIL("%s in a child: status %#x, and it said: %s", routine, (unsigned)status, said);
}

static void nothing(void) {}
static void exits(void) { exit(5); }
static void asks(void)
{
    int initialized = 7, major, minor;
    shmem_query_initialized(&initialized);
    shmem_info_get_version(&major, &minor);
    _exit(initialized == 0 ? 6 : 7);
}

int main(void)
{
    int me, npes, status;
    begin(&me, &npes);
    to = (me + 1) % npes;
    block = shmem_malloc(2 * sizeof *block);
    block[0] = block[1] = 50;
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    shmem_barrier_all();
    // The contents of a free lock are the library's: they need not be 0 on each PE.
    const long free_lock = lock;
    for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
        shmem_barrier_all();
        // For each PE in turn: if a child's call counted as an arrival, the others would continue too early.
        for (int turn = 0; turn < npes; turn++) {
            if (turn == me) {
                is_refused(rows[at].routine, rows[at].call);
                word++;
            }
            shmem_barrier_all();
            CHECK_EQ(shmem_long_g(&word, turn), (long)at + 1);
            shmem_barrier_all();
        }
        CHECK(block[0] == 50 && block[1] == 50 && sig == 0 && lock == free_lock && sum[0] == 1 && sum[1] == 0);
    }
    CHECK(*said_by_child(nothing, &status) == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(*said_by_child(exits, &status) == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 5);
    CHECK(*said_by_child(asks, &status) == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 6);
    // The other PE has looked at its block by now.
    shmem_barrier_all();
    shmem_ctx_long_p(ctx, block, me, to);
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();
    CHECK_EQ(block[0], (me + npes - 1) % npes);
    CHECK_EQ(word, (long)(sizeof rows / sizeof *rows));
    end();
    // The parent's use of the library is over, and a child's has not begun.
    is_refused("shmem_barrier_all", calls_shmem_barrier_all);
    is_refused("shmem_init", calls_shmem_init);
    is_refused("shmem_finalize", calls_shmem_finalize);
    return 0;
}
