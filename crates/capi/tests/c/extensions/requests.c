// pes: 1 2 4 8
// Non-blocking collectives: several at once on one team, waited for in any order; a blocking one is executed after them; they
// make progress while this PE only waits for a word; their results are those of the blocking ones.
#include "check.h"
#include <shmemx.h>

enum { LEN = 3000 };
static int me, npes;
static long flag;
static double dest[LEN], source[LEN];
static int joined[8 * 16], crossed[8 * 16], blocks[8 * 16], shared[LEN], spread[LEN];

static void ask_and_wait(int round)
{
    shmemx_req_t requests[5];
    for (int i = 0; i < LEN; i++) source[i] = me + i, shared[i] = round * 1000 + i + me;
    for (int i = 0; i < 8 * 16; i++) blocks[i] = me * 1000 + i + round;
    int root = round % npes;
    CHECK_EQ(shmemx_double_sum_reduce_nb(SHMEM_TEAM_WORLD, dest, source, LEN, &requests[0]), 0);
    CHECK_EQ(shmemx_int_broadcast_nb(SHMEM_TEAM_WORLD, spread, shared, LEN, root, &requests[1]), 0);
    CHECK_EQ(shmemx_int_fcollect_nb(SHMEM_TEAM_WORLD, joined, blocks, 16, &requests[2]), 0);
    CHECK_EQ(shmemx_int_alltoall_nb(SHMEM_TEAM_WORLD, crossed, blocks, 16, &requests[3]), 0);
    shmemx_barrier_all_nb(&requests[4]);
    if (round % 3 == 0) {
        shmem_sync_all();
        for (int i = 0; i < 5; i++) CHECK_NTH("complete", i, shmemx_req_test(&requests[i]), 1);
    } else if (round % 3 == 1) {
        while (!shmemx_req_test(&requests[4])) {}
        for (int i = 0; i < 4; i++) shmemx_req_wait(&requests[i]);
    } else {
        for (int i = 4; i >= 0; i--) shmemx_req_wait(&requests[i]);
    }
    for (int i = 0; i < 5; i++) CHECK(requests[i] == SHMEMX_REQ_NULL);
    for (int i = 0; i < LEN; i++) {
        CHECK_NTH("sum", i, dest[i], npes * (npes - 1) / 2 + npes * i);
        CHECK_NTH("broadcast", i, spread[i], round * 1000 + i + root);
    }
    for (int pe = 0; pe < npes; pe++) {
        for (int i = 0; i < 16; i++) {
            CHECK_NTH("fcollect", i, joined[pe * 16 + i], pe * 1000 + i + round);
            CHECK_NTH("alltoall", i, crossed[pe * 16 + i], pe * 1000 + me * 16 + i + round);
        }
    }
    shmem_sync_all();
}

static void wait_for_a_word(int round)
{
    shmemx_req_t request;
    for (int i = 0; i < LEN; i++) source[i] = me * i + round;
    CHECK_EQ(shmemx_double_max_reduce_nb(SHMEM_TEAM_WORLD, dest, source, LEN, &request), 0);
    if (me == 0) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, (npes - 1) * (round + 1));
    } else {
        shmemx_req_wait(&request);
        shmem_long_atomic_inc(&flag, 0);
    }
    shmemx_req_wait(&request);
    for (int i = 0; i < LEN; i++) CHECK_NTH("maximum", i, dest[i], (npes - 1) * i + round);
    shmem_sync_all();
}

int main(void)
{
    begin(&me, &npes);
    for (int round = 0; round < 60; round++) {
        ask_and_wait(round);
        wait_for_a_word(round);
    }
    shmemx_req_t none = SHMEMX_REQ_NULL;
    CHECK_EQ(shmemx_req_test(&none), 1);
    CHECK(shmemx_team_sync_nb(SHMEM_TEAM_INVALID, &none) != 0);
    end();
    return 0;
}
