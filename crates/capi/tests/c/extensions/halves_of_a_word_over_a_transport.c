// pes: 2 3
// each: SHMEM_TRANSPORT = auto | tcp
// Atomics of 16 bits, over a transport as in mapped memory: the halves of one word are updated by all PEs at once, and neither
// loses an update or spills into the other; each operation gives back what was there.
#include "../check.h"
#include <shmemx.h>

enum { ROUNDS = 200 };
static _Alignas(4) short halves[2];
static _Alignas(4) short word[2] = {11, -1};

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    short *half = &halves[me % 2];
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2) shmemx_short_add(half, -3, 0);
        else (void)shmemx_short_fadd(half, -3, 0);
    }
    shmem_barrier_all();
    if (me == 0) {
        CHECK_EQ(halves[0], -3 * ROUNDS * ((npes + 1) / 2));
        CHECK_EQ(halves[1], -3 * ROUNDS * (npes / 2));
    }

    int to = (me + 1) % npes;
    CHECK_EQ(shmemx_short_finc(&word[1], to), -1);
    CHECK_EQ(shmemx_short_swap(&word[1], 7, to), 0);
    CHECK_EQ(shmemx_short_cswap(&word[1], 8, 9, to), 7);
    CHECK_EQ(shmemx_short_cswap(&word[1], 7, 9, to), 7);
    shmemx_short_inc(&word[1], to);
    shmem_barrier_all();
    CHECK_EQ(word[0], 11);
    CHECK_EQ(word[1], 10);
    end();
    return 0;
}
