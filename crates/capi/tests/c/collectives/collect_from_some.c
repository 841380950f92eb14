// pes: 2 3 4
// each: SHMEM_COLLECT_ALGORITHM = auto | linear | bruck
// PEs with nothing to give pass NULL, and sources are at different places of different PEs; long and short blocks.
#include "check.h"

enum { LONG_WORDS = 16 * 1024 };

static long source[2 * LONG_WORDS], dest[4 * LONG_WORDS];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int round = 0; round < 6; round++) {
        const size_t each = round % 2 ? LONG_WORDS : 5;
        const size_t mine = me % 2 ? 0 : each;
        long *from = source + me % 3 * 8;
        for (size_t i = 0; i < mine; i++) from[i] = me * 1000000L + round * 100000L + (long)i;
        CHECK(shmem_long_collect(SHMEM_TEAM_WORLD, dest, mine ? from : NULL, mine) == 0);
        for (size_t i = 0; i < (npes + 1) / 2 * each; i++)
            CHECK_EQ(dest[i], (long)(i / each) * 2 * 1000000L + round * 100000L + (long)(i % each));
        shmem_barrier_all();
        CHECK(shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source + me % 3 * 8, each) == 0);
        for (size_t i = 0; i < (size_t)npes * each; i++)
            if (i / each % 2 == 0) CHECK_EQ(dest[i], (long)(i / each) * 1000000L + round * 100000L + (long)(i % each));
        shmem_barrier_all();
    }
    end();
}
