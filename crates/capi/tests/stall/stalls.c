// Incorrect programs, and programs that are correct but slow: one for each name. `tests/stalls.rs` has the expected report of each.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int flag, word;
static uint64_t signal_word;
static long lock_a, lock_b, pwrk[64], psync[SHMEM_REDUCE_SYNC_SIZE];
static long source[64], dest[64 * 64];
static int me, npes;

static void nap(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void compute(long ms) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long end = now.tv_sec * 1000 + now.tv_nsec / 1000000 + ms;
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < end);
}

// Incorrect: PE 1 calls something else than the others.

static void skips_a_barrier(void) {
    if (me != 1) shmem_barrier_all();
}

static void calls_another_collective(void) {
    if (me == 1)
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 1);
    else
        shmem_barrier_all();
}

static void allocates(void) {
    if (me == 1)
        shmem_malloc(4096);
    else
        shmem_barrier_all();
}

static void calls_otherwise_than_another_host(void) {
    if (me == 2)
        shmem_malloc(4096);
    else
        shmem_barrier_all();
}

static void names_another_root(void) {
    shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, me == 1);
    shmem_barrier_all();
}

static void sends_another_size(void) {
    shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, me == 1 ? 2 : 4);
    shmem_barrier_all();
}

static void reduces_another_count(void) {
    shmem_long_max_reduce(SHMEM_TEAM_WORLD, dest, source, me == 1 ? 1 : 64);
    shmem_barrier_all();
}

static void has_nothing_to_send(void) {
    shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, me == 1 ? 0 : 1);
    shmem_barrier_all();
}

static void is_the_only_root(void) {
    if (me == 1)
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, 1);
    shmem_barrier_all();
}

static void all_wait_for_memory(void) {
    shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
}

static void all_wait_for_a_signal(void) {
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, 1);
}

static void waits_for_who_has_gone_on(void) {
    if (me == 1) shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
}

static void stores_at_the_wrong_pe(void) {
    if (me == 0) shmem_int_p(&flag, 1, 0);
    if (me == 1) shmem_int_wait_until_any(&flag, 1, NULL, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
}

static void takes_two_locks_crosswise(void) {
    long *first = me == 1 ? &lock_a : &lock_b, *second = me == 1 ? &lock_b : &lock_a;
    if (me < 2) {
        shmem_set_lock(first);
        shmem_int_p(&word, 1, 1 - me);
        shmem_int_wait_until(&word, SHMEM_CMP_EQ, 1);
        shmem_set_lock(second);
    }
    shmem_barrier_all();
}

static void takes_a_lock_twice(void) {
    if (me == 1) {
        shmem_set_lock(&lock_a);
        shmem_set_lock(&lock_a);
    }
    shmem_barrier_all();
}

static void leaves_with_the_lock(void) {
    if (me == 1) shmem_set_lock(&lock_a);
    shmem_barrier_all();
    if (me != 1) shmem_set_lock(&lock_a);
}

static void is_in_another_teams_barrier(void) {
    shmem_team_t even = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &even);
    if (me == 1) shmem_team_sync(even);
    shmem_barrier_all();
}

static void does_not_split(void) {
    shmem_team_t half = SHMEM_TEAM_INVALID;
    if (me != 1) shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &half);
    shmem_barrier_all();
}

static void mistakes_the_active_set(void) {
    shmem_barrier(0, 0, me == 1 ? npes : npes - 1, psync);
    shmem_barrier_all();
}

static void returns_early(void) {
    if (me == 1) exit(0);
    shmem_barrier_all();
    shmem_barrier_all();
}

static void scans_less(void) {
    shmem_long_sum_inscan(SHMEM_TEAM_WORLD, dest, source, me == 1 ? 1 : 2);
    shmem_barrier_all();
}

// Nothing can be proven about these.

static void *sleeps(void *unused) {
    pause();
    return unused;
}

static void has_a_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sleeps, NULL);
    shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
}

static void computes_for_ever(void) {
    if (me == 1) {
        printf("computes\n");
        fflush(stdout);
        for (;;) compute(1000);
    }
    shmem_barrier_all();
}

static void wakes_for_ever(void) {
    if (me == 1) {
        for (;;) usleep(10000);
    }
    shmem_barrier_all();
}

static void polls_for_ever(void) {
    printf("polls\n");
    fflush(stdout);
    poll(NULL, 0, -1);
    printf("cut short\n");
}

// What is recorded.

static void calls(void) {
    for (int i = 0; i < 3; i++) shmem_barrier_all();
    shmem_long_put(dest, source, 4, (me + 1) % npes);
    shmem_quiet();
}

static void calls_and_is_killed(void) {
    calls();
    if (me == 1) kill(getpid(), SIGKILL);
    shmem_barrier_all();
}

static void calls_and_crashes(void) {
    calls();
    volatile int *nowhere = (int *)8;
    if (me == 1) *nowhere = 1;
    shmem_barrier_all();
}

// Correct, but slow: the peers wait as long as in any of those above.

static void one_computes(void) {
    if (me == 1) compute(400);
    shmem_barrier_all();
}

static void one_sleeps(void) {
    if (me == 0) nap(400);
    shmem_barrier_all();
}

static void one_stands_still(void) {
    if (me == 1) {
        const pid_t pid = getpid();
        if (fork() == 0) {
            nap(400);
            kill(pid, SIGCONT);
            _exit(0);
        }
        raise(SIGSTOP);
        while (wait(NULL) < 0 && errno == EINTR) {
        }
    }
    shmem_barrier_all();
}

static void memory_is_written_late(void) {
    if (me == 1) {
        nap(400);
        for (int pe = 0; pe < npes; pe++) shmem_int_p(&flag, 1, pe);
    } else {
        shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
    }
}

static void each_waits_for_the_one_before(void) {
    if (me > 0) shmem_int_wait_until(&word, SHMEM_CMP_EQ, me);
    nap(100);
    if (me + 1 < npes) shmem_int_p(&word, me + 1, me + 1);
    shmem_barrier_all();
}

static void looks_in_a_loop_of_its_own(void) {
    if (me == 1) {
        nap(400);
        for (int pe = 0; pe < npes; pe++) shmem_int_p(&flag, 1, pe);
    }
    while (!shmem_int_test(&flag, SHMEM_CMP_EQ, 1)) nap(1);
    shmem_barrier_all();
}

static void pairs_go_at_their_own_pace(void) {
    shmem_team_t pair = SHMEM_TEAM_INVALID;
    // All take part in each split, and are in one of the teams.
    for (int base = 0; base < npes; base += 2) {
        shmem_team_t made = SHMEM_TEAM_INVALID;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, base, 1, npes - base < 2 ? 1 : 2, NULL, 0, &made);
        if (made != SHMEM_TEAM_INVALID) pair = made;
    }
    for (int i = 0; i < 3; i++) {
        if (me % 2 == 0) nap(150);
        shmem_team_sync(pair);
    }
    shmem_barrier_all();
}

static void queue_for_a_lock(void) {
    shmem_set_lock(&lock_a);
    nap(100);
    shmem_clear_lock(&lock_a);
    shmem_barrier_all();
}

static void the_root_goes_on(void) {
    // The others are late for its broadcasts.
    if (me != 0) nap(300);
    for (int i = 0; i < 8; i++) shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, 0);
    shmem_long_sum_to_all(dest, source, 1, 0, 0, npes, pwrk, psync);
}

static void calls_differ_and_may(void) {
    // Collectives without data, in which no PE waits for another.
    for (int i = 0; i < 9; i++) shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, 0);
    // Different lengths, which a collect allows, and different routines that may meet.
    shmem_long_collect(SHMEM_TEAM_WORLD, dest, source, me % 3);
    if (me == 0) nap(300);
    if (me == 1)
        shmem_team_sync(SHMEM_TEAM_WORLD);
    else
        shmem_sync_all();
}

static void one_asks_late_for_memory(void) {
    if (me == 1) nap(400);
    shmem_free(shmem_malloc(8 << 20));
}

static void one_comes_late_to_the_end(void) {
    if (me == 0) nap(400);
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {
    {"skips a barrier", skips_a_barrier},
    {"calls another collective", calls_another_collective},
    {"allocates", allocates},
    {"calls otherwise than another host", calls_otherwise_than_another_host},
    {"names another root", names_another_root},
    {"sends another size", sends_another_size},
    {"reduces another count", reduces_another_count},
    {"has nothing to send", has_nothing_to_send},
    {"is the only root", is_the_only_root},
    {"all wait for memory", all_wait_for_memory},
    {"all wait for a signal", all_wait_for_a_signal},
    {"waits for who has gone on", waits_for_who_has_gone_on},
    {"stores at the wrong PE", stores_at_the_wrong_pe},
    {"takes two locks crosswise", takes_two_locks_crosswise},
    {"takes a lock twice", takes_a_lock_twice},
    {"leaves with the lock", leaves_with_the_lock},
    {"is in another team's barrier", is_in_another_teams_barrier},
    {"does not split", does_not_split},
    {"mistakes the active set", mistakes_the_active_set},
    {"returns early", returns_early},
    {"scans less", scans_less},
    {"has a thread", has_a_thread},
    {"computes for ever", computes_for_ever},
    {"wakes for ever", wakes_for_ever},
    {"polls for ever", polls_for_ever},
    {"calls", calls},
    {"calls and is killed", calls_and_is_killed},
    {"calls and crashes", calls_and_crashes},
    {"one computes", one_computes},
    {"one sleeps", one_sleeps},
    {"one stands still", one_stands_still},
    {"memory is written late", memory_is_written_late},
    {"each waits for the one before", each_waits_for_the_one_before},
    {"looks in a loop of its own", looks_in_a_loop_of_its_own},
    {"pairs go at their own pace", pairs_go_at_their_own_pace},
    {"queue for a lock", queue_for_a_lock},
    {"the root goes on", the_root_goes_on},
    {"calls differ, and may", calls_differ_and_may},
    {"one asks late for memory", one_asks_late_for_memory},
    {"one comes late to the end", one_comes_late_to_the_end},
};

int main(int argc, char **argv) {
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (argc > 1 && strcmp(argv[1], programs[i].name) == 0) programs[i].run();
    printf("done PE %d\n", me);
    shmem_finalize();
    return 0;
}
