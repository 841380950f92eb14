// pes: 2 4 7
// All PEs at once on one word of PE 0: no update of any operation is lost, in any type; the same through contexts, the
// default one, and by PE 0 on itself.
#include "types.h"

enum { ROUNDS = 200 };
static shmem_ctx_t ctx;
static int me, npes;

#define STANDARD(NAME, T)                                                                                              \
    static T sum_##NAME, ticket_##NAME, spin_##NAME;                                                                   \
    static void standard_##NAME(void)                                                                                  \
    {                                                                                                                  \
        T last = 0;                                                                                                    \
        sum_##NAME = ticket_##NAME = spin_##NAME = 0;                                                                  \
        shmem_barrier_all();                                                                                           \
        for (int i = 0; i < ROUNDS; i++) {                                                                             \
            shmem_##NAME##_atomic_add(&sum_##NAME, 3, 0);                                                              \
            shmem_ctx_##NAME##_atomic_inc(ctx, &sum_##NAME, 0);                                                        \
            shmem_ctx_##NAME##_atomic_fetch_add(ctx, &sum_##NAME, 2, 0);                                               \
            T mine = shmem_##NAME##_atomic_fetch_inc(&ticket_##NAME, 0);                                               \
            if (i > 0 && mine <= last) FAIL("shmem_" #NAME "_atomic_fetch_inc went from %Lg to %Lg", (long double)last, \
                                            (long double)mine);                                                        \
            last = mine;                                                                                               \
            T seen = shmem_##NAME##_atomic_fetch(&spin_##NAME, 0), was;                                                \
            while ((was = shmem_##NAME##_atomic_compare_swap(&spin_##NAME, seen, (T)(seen + 1), 0)) != seen) seen = was; \
        }                                                                                                              \
        shmem_ctx_quiet(ctx);                                                                                          \
        shmem_barrier_all();                                                                                           \
        if (me == 0) {                                                                                                 \
            CHECK_EQ(sum_##NAME, 6 * ROUNDS * npes);                                                                   \
            CHECK_EQ(ticket_##NAME, ROUNDS * npes);                                                                    \
            CHECK_EQ(spin_##NAME, ROUNDS * npes);                                                                      \
        }                                                                                                              \
        shmem_barrier_all();                                                                                           \
    }
STANDARD_TYPES(STANDARD)

/* Each PE owns one bit, and sets, flips and clears it; the bits of other PEs must not change. */
#define BITWISE(NAME, T)                                                                                               \
    static T bits_##NAME;                                                                                              \
    static void bitwise_##NAME(void)                                                                                   \
    {                                                                                                                  \
        T mine = (T)((T)1 << me);                                                                                      \
        bits_##NAME = 0;                                                                                               \
        shmem_barrier_all();                                                                                           \
        for (int i = 0; i < ROUNDS; i++) {                                                                             \
            CHECK_NTH("shmem_" #NAME "_atomic_fetch_or", i, shmem_##NAME##_atomic_fetch_or(&bits_##NAME, mine, 0) & mine, 0); \
            CHECK_NTH("shmem_" #NAME "_atomic_fetch_xor", i, shmem_##NAME##_atomic_fetch_xor(&bits_##NAME, mine, 0) & mine, \
                      mine);                                                                                           \
            shmem_##NAME##_atomic_xor(&bits_##NAME, mine, 0);                                                          \
            shmem_quiet();                                                                                             \
            CHECK_NTH("shmem_" #NAME "_atomic_fetch_and", i,                                                           \
                      shmem_##NAME##_atomic_fetch_and(&bits_##NAME, (T)~mine, 0) & mine, mine);                        \
        }                                                                                                              \
        shmem_barrier_all();                                                                                           \
        if (me == 0) CHECK_EQ(bits_##NAME, 0);                                                                         \
        shmem_barrier_all();                                                                                           \
    }
BITWISE_TYPES(BITWISE)

/* Swaps conserve: whatever was put in comes out exactly once. */
#define EXTENDED(NAME, T)                                                                                              \
    static T box_##NAME;                                                                                               \
    static void extended_##NAME(void)                                                                                  \
    {                                                                                                                  \
        static long taken;                                                                                             \
        long mine = 0;                                                                                                 \
        box_##NAME = 0;                                                                                                \
        taken = 0;                                                                                                     \
        shmem_barrier_all();                                                                                           \
        for (int i = 0; i < ROUNDS; i++) mine += (long)shmem_##NAME##_atomic_swap(&box_##NAME, (T)(me + 1), 0);        \
        shmem_long_atomic_add(&taken, mine, 0);                                                                        \
        shmem_barrier_all();                                                                                           \
        if (me == 0) CHECK_EQ(taken + (long)box_##NAME, (long)ROUNDS * npes * (npes + 1) / 2);                         \
        shmem_barrier_all();                                                                                           \
    }
EXTENDED_TYPES(EXTENDED)

int main(void)
{
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
#define RUN_STANDARD(NAME, T) standard_##NAME();
    STANDARD_TYPES(RUN_STANDARD)
#define RUN_BITWISE(NAME, T) bitwise_##NAME();
    BITWISE_TYPES(RUN_BITWISE)
#define RUN_EXTENDED(NAME, T) extended_##NAME();
    EXTENDED_TYPES(RUN_EXTENDED)
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
