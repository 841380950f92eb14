// One process of losses.rs: a PE that makes the same call over and over until another PE is killed, and then a PE of the job of those that are
// left. Arguments: its rank, the number of PEs, the call, and the id in hexadecimal, `draw` to draw one, or `environment`. It prints a line for
// each step, and reads its place in the second job from its input.
#include <assert.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef assert
#define assert(fact)                                                                                                   \
    do {                                                                                                               \
        if (!(fact)) {                                                                                                 \
            say("line %d: not so: %s", __LINE__, #fact);                                                               \
            exit(3);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define say(...) (printf(__VA_ARGS__), putchar('\n'), fflush(stdout))

enum { WORDS = 8192, LOST_MAX = 64 };

static long in_static, one, sum;
static uint64_t mine[WORDS], theirs[WORDS];

static int is_lost(void) {
    int n = 0;
    return shmemx_lost_pes(NULL, &n);
}

/* Join the job. Nonzero if that has failed. */
static int join(int rank, int size, const char *id) {
    shmemx_uniqueid_t uid = SHMEMX_UNIQUEID_INITIALIZER;
    shmemx_init_attr_t attr = SHMEMX_INIT_ATTR_INITIALIZER;
    unsigned char *bytes = (unsigned char *)&uid;
    if (!strcmp(id, "draw")) {
        assert(shmemx_get_uniqueid(&uid) == 0);
        printf("id ");
        for (size_t at = 0; at < sizeof uid; at++)
            printf("%02x", bytes[at]);
        say("%s", "");
    } else {
        for (size_t at = 0; at < sizeof uid; at++)
            assert(sscanf(id + 2 * at, "%2hhx", bytes + at) == 1);
    }
    assert(shmemx_set_attr_uniqueid_args(rank, size, &uid, &attr) == 0);
    return shmemx_init_attr(SHMEMX_INIT_WITH_UNIQUEID | SHMEMX_LOSS_RETURNS, &attr);
}

/* Make a call until a PE is lost. Routines with a result must not report success then. */
static void repeat(const char *call) {
    int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
    uint64_t *words = shmem_malloc(sizeof mine), *count = shmem_calloc(1, 8), *signal = shmem_calloc(1, 8);
    long *lock = shmem_calloc(1, sizeof *lock);
    if (!words || !count || !signal || !lock)
        return;
    shmem_barrier_all();
    say("ready");
    if (!strcmp(call, "put"))
        for (; !is_lost(); shmem_quiet())
            shmem_uint64_put(words, mine, WORDS, next);
    if (!strcmp(call, "get"))
        while (!is_lost())
            shmem_uint64_get(theirs, words, WORDS, next);
    if (!strcmp(call, "atomic"))
        while (!is_lost())
            shmem_uint64_atomic_fetch_inc(count, next);
    if (!strcmp(call, "signal"))
        for (uint64_t round = 1; !is_lost(); round++) {
            shmem_uint64_put_signal(words, mine, WORDS, signal, round, SHMEM_SIGNAL_SET, next);
            if (shmem_signal_wait_until(signal, SHMEM_CMP_GE, round) < round)
                assert(is_lost());
        }
    if (!strcmp(call, "wait")) {
        shmem_uint64_wait_until(signal, SHMEM_CMP_EQ, 1);
        assert(is_lost());
        assert(shmem_uint64_wait_until_any(signal, 1, NULL, SHMEM_CMP_EQ, 1) == SIZE_MAX);
        assert(shmem_uint64_wait_until_some(signal, 1, theirs, NULL, SHMEM_CMP_EQ, 1) == 0);
    }
    if (!strcmp(call, "lock"))
        while (!is_lost()) {
            shmem_set_lock(lock);
            shmem_uint64_put(words, mine, WORDS, 0);
            shmem_clear_lock(lock);
        }
    if (!strcmp(call, "barrier"))
        while (!is_lost())
            shmem_barrier_all();
    if (!strcmp(call, "reduce"))
        for (one = 1; shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1) == 0;)
            assert(sum == n);
    if (!strcmp(call, "malloc"))
        for (void *block; (block = shmem_malloc(80000));)
            shmem_free(block);
    if (!strcmp(call, "split"))
        for (shmem_team_t team; shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team) == 0;)
            if (shmem_team_sync(team) == 0)
                shmem_team_destroy(team);
    if (!strcmp(call, "finalize"))
        usleep(3000 * me);
}

/* Every kind of routine returns what its manual says. */
static void broken(void) {
    int n = shmem_n_pes(), other = (shmem_my_pe() + 1) % n;
    assert(shmem_malloc(8) == NULL);
    assert(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1) != 0);
    assert(shmem_team_sync(SHMEM_TEAM_WORLD) != 0);
    assert(shmem_long_atomic_fetch_inc(&in_static, other) == 0);
    assert(shmem_long_g(&in_static, other) == 0);
    assert(shmem_longdouble_g((long double *)mine, other) == 0);
    long before = in_static;
    shmem_long_p(&in_static, 1, other);
    shmem_long_put(&in_static, &one, 1, other);
    shmem_long_wait_until(&in_static, SHMEM_CMP_NE, before);
    shmem_barrier_all();
    shmem_sync_all();
    shmem_quiet();
    shmem_finalize();
    assert(in_static == before);
}

/* The job of those that are left starts with zeros, and computes what is right. */
static long works(void) {
    int me = shmem_my_pe(), n = shmem_n_pes();
    uint64_t *words = shmem_calloc(WORDS, 8), *count = shmem_calloc(1, 8);
    assert(words && count);
    for (int at = 0; at < WORDS; at++)
        assert(words[at] == 0);
    for (int at = 0; at < WORDS; at++)
        mine[at] = (uint64_t)me + 1;
    shmem_barrier_all();
    shmem_uint64_put(words, mine, WORDS, (me + 1) % n);
    shmem_uint64_atomic_add(count, (uint64_t)me + 1, 0);
    shmem_barrier_all();
    for (int at = 0; at < WORDS; at++)
        assert(words[at] == (uint64_t)(me + n - 1) % n + 1);
    long total = (long)shmem_uint64_g(count, 0);
    one = me + 1;
    assert(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1) == 0);
    assert(sum == total);
    return total;
}

static void report(void) {
    int pes[LOST_MAX], n = LOST_MAX;
    assert(shmemx_lost_pes(pes, &n) == 1);
    printf("lost ");
    for (int at = 0; at < n; at++)
        printf("%s%d", at ? "," : "", pes[at]);
    say("%s", "");
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    const char *call = argv[3];
    int rank = atoi(argv[1]), is_here, failed = 0;
    long kept = 1000 + rank;
    in_static = kept;
    if (!strcmp(argv[4], "environment"))
        shmem_init();
    else
        failed = join(rank, atoi(argv[2]), argv[4]);
    if (!failed) {
        repeat(call);
        if (!is_lost())
            shmem_finalize();
    }
    if (is_lost()) {
        report();
        shmem_query_initialized(&is_here);
        assert(!(failed && is_here));
        if (is_here)
            broken();
        assert(in_static == kept);
        shmemx_abandon();
        assert(is_lost());
    } else {
        say(failed ? "apart" : "whole");
    }
    shmem_query_initialized(&is_here);
    assert(!is_here && in_static == kept);

    char line[400], id[300];
    int place, left;
    if (!fgets(line, sizeof line, stdin) || sscanf(line, "%d %d %299s", &place, &left, id) != 3)
        return 0;
    assert(join(place, left, id) == 0);
    assert(!is_lost());
    say("total %ld", works());
    shmem_finalize();
    return 0;
}
