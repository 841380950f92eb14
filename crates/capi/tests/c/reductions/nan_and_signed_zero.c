// pes: 2 3 8
// each: SHMEM_REDUCE_ALGORITHM = auto | doubling | whole | board | direct | rabenseifner | relay | ring | tree
// The rule for max and min of float, double and long double, for any order of combination: a number wins over a NaN, NaNs alone
// give the canonical NaN, +0 is above -0. A NaN is on each PE in turn; all PEs get the same bits.
#include "samples.h"
#include <math.h>

/* 0: NaN on this PE only. 1: NaN on all but it. 2: NaN on all. 3: -0 but +0 here. 4: +0 but -0 here. 5: -inf, NaN here. */
enum { CASES = 6, LENGTHS = 3 };
static const int counts[LENGTHS] = {1, 40, 1200};
static struct samples all;

static int has_nan(int which, int here)
{
    return which == 2 || (which == 1 ? !here : (which == 0 || which == 5) && here);
}

static double given(int which, int pe, int special)
{
    int here = pe == special;
    if (has_nan(which, here)) return pe % 2 ? -NAN : NAN;
    switch (which) {
    case 3: return here ? 0.0 : -0.0;
    case 4: return here ? -0.0 : 0.0;
    case 5: return -INFINITY;
    default: return pe - 2.5;
    }
}

/* The result of the rule for members 0..n-1; a NaN stands for the canonical one. */
static double ruled(int which, int n, int special, int max)
{
    double best = NAN;
    for (int pe = 0; pe < n; pe++) {
        double value = given(which, pe, special);
        if (isnan(value)) continue;
        int above = isnan(best) || (max ? value > best : value < best);
        if (value == 0 && best == 0) above = max ? !signbit(value) : signbit(value) != 0;
        if (above) best = value;
    }
    return best;
}

/* The bits that the type's value has; a long double's padding is left out. */
#define DEFINE(NAME, T, BYTES)                                                                                         \
    static void check_##NAME(const struct sample *one, int which, int special, int max, int count, T *dest, T *source) \
    {                                                                                                                  \
        for (int i = 0; i < count; i++) source[i] = (T)given(which, one->me, (special + i) % one->n);                  \
        CHECK(shmem_team_sync(one->team) == 0);                                                                        \
        CHECK((max ? shmem_##NAME##_max_reduce(one->team, dest, source, count)                                         \
                   : shmem_##NAME##_min_reduce(one->team, dest, source, count)) == 0);                                 \
        for (int i = 0; i < count; i++) {                                                                              \
            T want = (T)ruled(which, one->n, (special + i) % one->n, max);                                             \
            if (isnan(want)) want = (T)NAN;                                                                            \
            if (memcmp(&dest[i], &want, BYTES) != 0)                                                                   \
                FAIL("shmem_" #NAME "_%s_reduce over %s of %d, case %d at PE %d, element %d of %d: %Lg%s, not %Lg",    \
                     max ? "max" : "min", one->name, one->n, which, (special + i) % one->n, i, count,                  \
                     (long double)dest[i], dest[i] != dest[i] && want != want ? " of other bits" : "",                 \
                     (long double)want);                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void all_##NAME(void)                                                                                       \
    {                                                                                                                  \
        T *memory = need(2 * 1200 * sizeof(T));                                                                        \
        EACH_SAMPLE(one, &all)                                                                                         \
            for (int which = 0; which < CASES; which++)                                                                \
                for (int special = 0; special < one->n; special++)                                                     \
                    for (int k = 0; k < 4 * LENGTHS; k++)                                                              \
                        check_##NAME(one, which, special, k % 2, counts[k / 4], memory,                                \
                                     k % 4 / 2 ? memory : memory + 1200);                                              \
        shmem_free(memory);                                                                                            \
    }
DEFINE(float, float, sizeof(float))
DEFINE(double, double, sizeof(double))
DEFINE(longdouble, long double, 10)

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    samples_make(&all);
    all_float();
    all_double();
    if (sizeof(long double) == 16) all_longdouble();
    samples_destroy(&all);
    end();
    return 0;
}
