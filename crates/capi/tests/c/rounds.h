/* Collectives of given kinds on one team after the other, without synchronisation in between, while PEs arrive late at random. A
 * source is overwritten right after its call returns, and a destination once it was checked: nothing may still be in transit. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "bytes.h"
#include <sched.h>

enum kind { BROADCAST, FCOLLECT, COLLECT, ALLTOALL, REDUCE, SCAN, SYNC, KINDS };
enum { CALLS = 40, WORDS = 300, LONG_TIMES = 10 };

struct rounds {
    unsigned seed; // of delays, different on each PE
    uint8_t *dest, *source;
    size_t room; // of one call
};

static inline unsigned rounds_random(struct rounds *rounds)
{
    return (rounds->seed = rounds->seed * 1103515245u + 12345u) >> 16;
}

static inline void rounds_arrive_late(struct rounds *rounds)
{
    unsigned r = rounds_random(rounds) % 32;
    if (r == 0) usleep(rounds_random(rounds) % 1500);
    else if (r < 6) sched_yield();
}

/* Moves: each PE checks every byte that it gets. */
static inline void rounds_move(const struct sample *one, enum kind kind, int round, uint8_t *dest, uint8_t *source, size_t length)
{
    int n = one->n, root = round % n;
    switch (kind) {
    case BROADCAST:
        if (one->me == root) bytes_fill(source, length, root, 0, round);
        CHECK(shmem_broadcastmem(one->team, dest, source, length, root) == 0);
        bytes_check(one, "broadcast", dest, length, root, 0, round);
        break;
    case FCOLLECT:
        bytes_fill(source, length, one->me, 1, round);
        CHECK(shmem_fcollectmem(one->team, dest, source, length) == 0);
        memset(source, 0xEE, length);
        for (int pe = 0; pe < n; pe++) bytes_check(one, "fcollect", dest + pe * length, length, pe, 1, round);
        break;
    case COLLECT:
        bytes_fill(source, length, one->me, 2, round);
        CHECK(shmem_collectmem(one->team, dest, source, one->me % 2 ? 0 : length) == 0);
        memset(source, 0xEE, length);
        for (int pe = 0; pe < n; pe += 2) bytes_check(one, "collect", dest + pe / 2 * length, length, pe, 2, round);
        break;
    case ALLTOALL:
        for (int pe = 0; pe < n; pe++) bytes_fill(source + pe * length, length, one->me, pe, round);
        CHECK(shmem_alltoallmem(one->team, dest, source, length) == 0);
        memset(source, 0xEE, length * n);
        for (int pe = 0; pe < n; pe++) bytes_check(one, "alltoall", dest + pe * length, length, pe, one->me, round);
        break;
    default: CHECK(shmem_team_sync(one->team) == 0);
    }
}

/* The contribution of member `pe` to word i of round `round`. */
static inline long rounds_term(int pe, int round, size_t i) { return pe * 1000L + round + (long)i; }

/* Every third combination is in place. */
static inline int rounds_in_place(int round) { return round % 3 == 0; }

/* Combinations of words; data combined in place were there before the last sync. */
static inline void rounds_combine(const struct sample *one, enum kind kind, int round, uint8_t *dest, uint8_t *source, size_t length)
{
    long *sum = (long *)dest, *term = rounds_in_place(round) ? sum : (long *)source;
    size_t words = length / 8;
    if (term != sum)
        for (size_t i = 0; i < words; i++) term[i] = rounds_term(one->me, round, i);
    if (kind == REDUCE) CHECK(shmem_long_sum_reduce(one->team, sum, term, words) == 0);
    else CHECK(shmem_long_sum_inscan(one->team, sum, term, words) == 0);
    memset(source, 0xEE, length);
    long members = kind == REDUCE ? one->n : one->me + 1;
    for (size_t i = 0; i < words; i++)
        CHECK_OVER(one, kind == REDUCE ? "sum_reduce" : "sum_inscan", i, sum[i],
                   500 * members * (members - 1) + members * (round + (long)i));
}

/* Every call between two syncs has its own destination, so no PE can be too early with it. */
static inline void rounds_over(struct rounds *rounds, const struct sample *one, const enum kind *kinds, unsigned choice)
{
    for (int i = 0; i < CALLS; i++)
        for (size_t k = 0; k < WORDS * LONG_TIMES && rounds_in_place(i); k++)
            ((long *)(rounds->dest + i * rounds->room))[k] = rounds_term(one->me, i, k);
    CHECK(shmem_team_sync(one->team) == 0); // members have left other teams
    for (int i = 0; i < CALLS; i++) {
        choice = choice * 69069u + 1u;
        enum kind kind = kinds[(choice >> 16) % KINDS];
        size_t length = 8u * (1 + (choice >> 20) % WORDS) * ((choice >> 13) % 8 == 0 ? LONG_TIMES : 1);
        uint8_t *at = rounds->dest + i * rounds->room;
        rounds_arrive_late(rounds);
        if (kind == REDUCE || kind == SCAN) rounds_combine(one, kind, i, at, rounds->source, length);
        else rounds_move(one, kind, i, at, rounds->source, length);
        memset(at, 0x11, rounds->room);
    }
    CHECK(shmem_team_sync(one->team) == 0);
}

/* The whole program: `epochs` times over every sample; `kinds` says which kind each draw means. */
static inline int rounds_run(int epochs, const enum kind *kinds)
{
    int me, npes;
    struct samples all;
    begin(&me, &npes);
    struct rounds rounds = {77u + (unsigned)me * 7919u, NULL, NULL, (size_t)WORDS * 8 * LONG_TIMES * npes};
    rounds.dest = need(CALLS * rounds.room), rounds.source = need(rounds.room);
    samples_make(&all);
    for (int epoch = 0; epoch < epochs; epoch++)
        EACH_SAMPLE(one, &all) rounds_over(&rounds, one, kinds, 1000u * epoch + 7u * (unsigned)(one - all.of));
    samples_destroy(&all);
    end();
    return 0;
}

/* A program for one kind, run once for each of its algorithms. */
#define ROUNDS_OF(KIND)                                                                                                \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        static const enum kind kinds[KINDS] = {KIND, KIND, KIND, KIND, KIND, KIND, KIND};                              \
        return rounds_run(2, kinds);                                                                                   \
    }

#endif
