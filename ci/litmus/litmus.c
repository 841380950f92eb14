/* Litmus tests of the memory model, for three PEs: each is a few operations of some PEs, and the values that one of them sees. For each test
 * one line is printed: its name, the outcomes that the specification allows, and those that were seen, each with its count. A forbidden
 * outcome ends the job with 1. Any OpenSHMEM from 1.4 on compiles it; tests of later routines are omitted if a library lacks these.
 *
 *     litmus [ROUNDS]
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
#define HAS_PUT_SIGNAL
#endif

enum { PES = 3, OUTCOMES = 4 };

static int me, x, y;
static unsigned long flag;
#ifdef HAS_PUT_SIGNAL
static uint64_t signalled;
#endif
static int reported;
static shmem_ctx_t one, other;

/* The operations of a PE in one round; the PE that sees a value returns it, others return -1. */
typedef int play(void);

static int look_after_flag(void)
{
    shmem_ulong_wait_until(&flag, SHMEM_CMP_EQ, 1);
    return x;
}

static int no_order(void)
{
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_ulong_atomic_set(&flag, 1, 1);
    }
    return me == 1 ? look_after_flag() : -1;
}

static int fence_and_atomic(void)
{
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_fence();
        shmem_ulong_atomic_set(&flag, 1, 1);
    }
    return me == 1 ? look_after_flag() : -1;
}

static int fence_and_put(void)
{
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_fence();
        shmem_ulong_p(&flag, 1, 1);
    }
    return me == 1 ? look_after_flag() : -1;
}

static int quiet_and_atomic(void)
{
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_quiet();
        shmem_ulong_atomic_set(&flag, 1, 1);
    }
    return me == 1 ? look_after_flag() : -1;
}

static int quiet_alone(void)
{
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_quiet();
    }
    return me == 1 ? *(volatile int *)&x : -1;
}

#ifdef HAS_PUT_SIGNAL
static int look_after_signal(void)
{
    shmem_signal_wait_until(&signalled, SHMEM_CMP_EQ, 1);
    return x;
}

static int data_with_signal(void)
{
    const int value = 1;
    if (me == 0)
        shmem_int_put_signal(&x, &value, 1, &signalled, 1, SHMEM_SIGNAL_SET, 1);
    return me == 1 ? look_after_signal() : -1;
}

static int data_before_signal(void)
{
    const int value = 1;
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_int_put_signal(&y, &value, 1, &signalled, 1, SHMEM_SIGNAL_SET, 1);
    }
    return me == 1 ? look_after_signal() : -1;
}
#endif

static int put_and_get(void)
{
    if (me != 0)
        return -1;
    shmem_int_p(&x, 1, 1);
    return shmem_int_g(&x, 1);
}

static int two_puts(void)
{
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_int_p(&x, 2, 1);
    }
    shmem_barrier_all();
    return me == 1 ? x : -1;
}

static int two_puts_and_fence(void)
{
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_fence();
        shmem_int_p(&x, 2, 1);
    }
    shmem_barrier_all();
    return me == 1 ? x : -1;
}

static int barrier_and_context(void)
{
    if (me == 0)
        shmem_ctx_int_p(one, &x, 1, 1);
    shmem_barrier_all();
    return me == 1 ? *(volatile int *)&x : -1;
}

static int sync_alone(void)
{
    if (me == 0)
        shmem_int_p(&x, 1, 1);
    shmem_sync_all();
    return me == 1 ? *(volatile int *)&x : -1;
}

static int fence_elsewhere(void)
{
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_fence();
        shmem_ulong_atomic_set(&flag, 1, 2);
    }
    if (me != 2)
        return -1;
    shmem_ulong_wait_until(&flag, SHMEM_CMP_EQ, 1);
    return shmem_int_g(&x, 1);
}

static int quiet_elsewhere(void)
{
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_quiet();
        shmem_ulong_atomic_set(&flag, 1, 2);
    }
    if (me != 2)
        return -1;
    shmem_ulong_wait_until(&flag, SHMEM_CMP_EQ, 1);
    return shmem_int_g(&x, 1);
}

static int adds_of_two(void)
{
    if (me != 2)
        shmem_int_atomic_add(&x, 1, 1);
    shmem_barrier_all();
    return me == 1 ? x : -1;
}

static int adds_on_two_contexts(void)
{
    if (me == 0) {
        shmem_ctx_int_atomic_add(one, &x, 1, 1);
        shmem_ctx_int_atomic_add(other, &x, 1, 1);
        shmem_ctx_quiet(one);
        shmem_ctx_quiet(other);
    }
    shmem_sync_all();
    return me == 1 ? x : -1;
}

/* Each puts, completes the put, and gets the word that the other has put: not both may be late. The outcome has a bit for each. */
static int store_buffering(void)
{
    int seen = 0;
    if (me == 0) {
        shmem_int_p(&x, 1, 2);
        shmem_quiet();
        seen = 2 * shmem_int_g(&y, 2);
    } else if (me == 1) {
        shmem_int_p(&y, 1, 2);
        shmem_quiet();
        seen = shmem_int_g(&x, 2);
    }
    shmem_barrier_all();
    if (me == 1)
        shmem_int_p(&reported, seen, 0);
    shmem_barrier_all();
    return me == 0 ? seen + reported : -1;
}

static int get_before_quiet(void)
{
    static int got;
    if (me == 0) {
        got = 0;
        shmem_int_p(&x, 1, 1);
        shmem_quiet();
        shmem_int_get_nbi(&got, &x, 1, 1);
    }
    int seen = *(volatile int *)&got;
    shmem_quiet();
    return me == 0 ? seen : -1;
}

static const struct {
    const char *name;
    play *act;
    int allowed; /* a bit for each outcome */
} tests[] = {
    {"no_order", no_order, 1 | 2},
    {"fence_and_atomic", fence_and_atomic, 2},
    {"fence_and_put", fence_and_put, 2},
    {"quiet_and_atomic", quiet_and_atomic, 2},
    {"quiet_alone", quiet_alone, 1 | 2},
#ifdef HAS_PUT_SIGNAL
    {"data_with_signal", data_with_signal, 2},
    {"data_before_signal", data_before_signal, 1 | 2},
#endif
    {"put_and_get", put_and_get, 1 | 2},
    {"two_puts", two_puts, 2 | 4},
    {"two_puts_and_fence", two_puts_and_fence, 4},
    {"barrier_and_context", barrier_and_context, 1 | 2},
    {"sync_alone", sync_alone, 1 | 2},
    {"fence_elsewhere", fence_elsewhere, 1 | 2},
    {"quiet_elsewhere", quiet_elsewhere, 2},
    {"adds_of_two", adds_of_two, 4},
    {"adds_on_two_contexts", adds_on_two_contexts, 4},
    {"store_buffering", store_buffering, 2 | 4 | 8},
    {"get_before_quiet", get_before_quiet, 1 | 2},
};

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    int wrong = 0;
    shmem_init();
    me = shmem_my_pe();
    if (shmem_n_pes() != PES) {
        fprintf(stderr, "litmus: for %d PEs\n", PES);
        shmem_global_exit(2);
    }
    if (me == 0) {
        char name[SHMEM_MAX_NAME_LEN];
        shmem_info_get_name(name);
        printf("library %s\n", name);
        fflush(stdout);
    }
    if (shmem_ctx_create(0, &one) != 0 || shmem_ctx_create(0, &other) != 0)
        shmem_global_exit(2);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        int seen[OUTCOMES] = {0}, sees = 0;
        for (int round = 0; round < rounds; round++) {
            x = y = 0;
            flag = 0;
#ifdef HAS_PUT_SIGNAL
            signalled = 0;
#endif
            shmem_barrier_all();
            int outcome = tests[i].act();
            /* Operations in progress are completed before the next round. */
            shmem_ctx_quiet(one);
            shmem_barrier_all();
            if (outcome >= 0 && outcome < OUTCOMES)
                seen[outcome]++, sees = 1;
        }
        if (sees) {
            printf("%s allowed", tests[i].name);
            for (int o = 0; o < OUTCOMES; o++)
                if (tests[i].allowed >> o & 1)
                    printf(" %d", o);
            printf(" seen");
            for (int o = 0; o < OUTCOMES; o++)
                if (seen[o]) {
                    printf(" %d:%d", o, seen[o]);
                    wrong |= !(tests[i].allowed >> o & 1);
                }
            printf("\n");
            fflush(stdout);
        }
        shmem_barrier_all();
    }
    if (wrong)
        shmem_global_exit(1);
    shmem_ctx_destroy(one);
    shmem_ctx_destroy(other);
    shmem_finalize();
    return 0;
}
