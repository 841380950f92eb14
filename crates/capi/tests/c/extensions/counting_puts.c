// pes: 1 2 3 5
// Puts and gets that count at their target: the count follows the data, counters know nothing of each other, and a counter that
// was freed gives its memory back.
#include "check.h"
#include <shmemx.h>

enum { ROUNDS = 300 };
static int me, npes;
static long box[16], board[ROUNDS];

static void everybody_to_one(shmemx_ct_t ct)
{
    long mine = me + 100;
    shmemx_putmem_ct(ct, &box[me], &mine, sizeof mine, 0);
    if (me == 0) {
        shmemx_ct_wait(ct, npes);
        for (int pe = 0; pe < npes; pe++) CHECK_NTH("put", pe, box[pe], pe + 100);
    }
    shmem_barrier_all();
    CHECK_EQ(shmemx_ct_get(ct), me == 0 ? npes : 0);
    shmem_barrier_all(); /* gets count too */
    long seen = 0;
    shmemx_getmem_ct(ct, &seen, &box[npes - 1], sizeof seen, 0);
    CHECK_EQ(seen, npes - 1 + 100);
    if (me == 0) shmemx_ct_wait(ct, 2 * npes); /* all have read: the box may be used again */
    shmem_barrier_all();
}

static void data_before_count(shmemx_ct_t ct)
{
    shmemx_ct_set(ct, 1000);
    shmem_barrier_all();
    for (long i = 0; i < ROUNDS; i++) {
        long value = me * 1000 + i;
        shmemx_putmem_ct(ct, &board[i], &value, sizeof value, (me + 1) % npes);
        shmemx_ct_wait(ct, 1000 + i + 1);
        CHECK_NTH("ring", i, board[i], (me + npes - 1) % npes * 1000 + i);
    }
    shmem_barrier_all();
    CHECK_EQ(shmemx_ct_get(ct), 1000 + ROUNDS);
}

int main(void)
{
    begin(&me, &npes);
    shmemx_ct_t first, second;
    shmemx_ct_create(&first);
    shmemx_ct_create(&second);
    CHECK(first != NULL && second != NULL && first != second);
    CHECK_EQ(shmemx_ct_get(first), 0);
    shmem_barrier_all(); /* before anybody counts */
    everybody_to_one(first);
    CHECK_EQ(shmemx_ct_get(second), 0);
    data_before_count(second);
    CHECK_EQ(shmemx_ct_get(first), me == 0 ? 2 * npes : 0);

    /* Counts already reached need no waiting; transfers of nothing count too. */
    shmemx_ct_set(first, -5);
    CHECK_EQ(shmemx_ct_get(first), -5);
    shmemx_ct_wait(first, -5);
    shmemx_ct_wait(first, -100);
    shmem_barrier_all();
    shmemx_putmem_ct(first, box, NULL, 0, (me + 1) % npes);
    shmemx_ct_wait(first, -4);
    shmem_barrier_all();

    shmemx_ct_free(&first);
    CHECK(first == NULL);
    shmemx_ct_free(&first); /* ignored */
    shmemx_ct_free(&second);
    for (int i = 0; i < 3000; i++) { /* more than can exist at once */
        shmemx_ct_create(&first);
        CHECK(first != NULL);
        CHECK_EQ(shmemx_ct_get(first), 0);
        shmemx_ct_set(first, 7);
        shmemx_ct_free(&first);
    }
    end();
    return 0;
}
