// pes: 2 3
// each: SHMEM_TRANSPORT = auto | tcp
// Atomics of 16 bits, over a transport and in mapped memory: all PEs update the halves of one word at the same time, and
// neither half loses an update or changes the other; each operation returns the old value.
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
