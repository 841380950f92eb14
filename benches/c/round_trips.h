/* Round trips between PE 0 and PE 1: p, then wait_until for the answer. */
#ifndef FERRITE_ROUND_TRIPS_H
#define FERRITE_ROUND_TRIPS_H

#include "bench.h"

static long turn; /* grows over all batches, the same on both PEs */

static void rally(long n, long *ball)
{
    if (bench.me > 1)
        return;
    for (long i = 0; i < n; i++) {
        turn++;
        if (bench.me == 0) {
            shmem_long_p(ball, turn, 1);
            shmem_long_wait_until(ball, SHMEM_CMP_EQ, turn);
        } else {
            shmem_long_wait_until(ball, SHMEM_CMP_EQ, turn);
            shmem_long_p(ball, turn, 0);
        }
    }
}

#endif
