// pes: 2 4 7
// 32-bit atomics on one half of an 8-byte word while other PEs update the other half: no update is lost on either side.
#include "check.h"

enum { ROUNDS = 5000 };
static struct {
    int32_t low, high;
} pair;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int32_t *half = me % 2 ? &pair.high : &pair.low;
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 3) shmem_int32_atomic_add(half, 1, 0);
        else (void)shmem_int32_atomic_fetch_add(half, 1, 0);
    }
    shmem_barrier_all();
    if (me == 0) {
        CHECK_EQ(pair.low, ROUNDS * ((npes + 1) / 2));
        CHECK_EQ(pair.high, ROUNDS * (npes / 2));
    }
    end();
    return 0;
}
