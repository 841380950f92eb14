// pes: 2 3 4 7 8
// each: SHMEM_SCAN_ALGORITHM = auto | doubling | chain
// A scan of floating point numbers is the sum of the preceding terms in the team's order and nothing else: an infinity, a NaN
// or a term that absorbs all others does not affect the PEs before it, and an exclusive sum is not an inclusive one minus a
// term.
#include "samples.h"
#include <math.h>

enum { LEN = 600 };
static struct samples all;
static double dest[LEN], source[LEN];

/* The poison of element i is on PE i % n. */
static double poison(int kind)
{
    static const double kinds[] = {INFINITY, -INFINITY, NAN, 1e300};
    return kinds[kind];
}

static void check(const struct sample *one, int kind, int inclusive)
{
    for (int i = 0; i < LEN; i++) source[i] = i % one->n == one->me ? poison(kind) : one->me + 1;
    CHECK(shmem_team_sync(one->team) == 0);
    CHECK((inclusive ? shmem_double_sum_inscan(one->team, dest, source, LEN)
                     : shmem_double_sum_exscan(one->team, dest, source, LEN)) == 0);
    int last = one->me - !inclusive; // the last PE that counts
    for (int i = 0; i < LEN; i++) {
        int at = i % one->n;
        if (at > last) {
            CHECK_OVER(one, "a scan ahead of the poison", i, dest[i], (last + 1) * (last + 2) / 2);
        } else if (kind == 2) {
            if (!isnan(dest[i])) FAIL("over %s of %d: element %d is %g, not a NaN", one->name, one->n, i, dest[i]);
        } else {
            CHECK_OVER(one, "a scan behind the poison", i, dest[i], poison(kind));
        }
    }
    CHECK(shmem_team_sync(one->team) == 0);
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    samples_make(&all);
    EACH_SAMPLE(one, &all)
        for (int kind = 0; kind < 4; kind++)
            for (int inclusive = 0; inclusive < 2; inclusive++) check(one, kind, inclusive);
    samples_destroy(&all);
    end();
    return 0;
}
