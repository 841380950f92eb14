#include <shmem.h>
#include <stdio.h>

static int mine, largest;
static int work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long sync_words[SHMEM_REDUCE_SYNC_SIZE];

int main(void) {
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        sync_words[i] = SHMEM_SYNC_VALUE;
    shmem_init();
    int me = shmem_my_pe(), evens = (shmem_n_pes() + 1) / 2;
    shmem_barrier_all(); /* the sync_words of all PEs are ready */
    mine = me;
    if (me % 2 == 0)
        shmem_int_max_to_all(&largest, &mine, 1, 0, 1, evens, work, sync_words);
    if (me == 0)
        printf("the largest even number is %d\n", largest);
    int right = largest == (me % 2 == 0 ? 2 * (evens - 1) : 0);
    shmem_finalize();
    return right ? 0 : 1;
}
