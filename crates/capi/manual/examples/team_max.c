#include <shmemx.h>
#include <stdio.h>

static int number, of_all, of_half;
static int work_words[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long sync_words[SHMEM_REDUCE_SYNC_SIZE];

int main(void) {
    shmem_init();
    number = shmem_my_pe();
    shmem_team_t half;
    shmemx_team_split_color(SHMEM_TEAM_WORLD, number % 2, number, &half);
    shmemx_team_int_max_to_all(SHMEM_TEAM_WORLD, &of_all, &number, 1, work_words, sync_words);
    shmemx_team_int_max_to_all(half, &of_half, &number, 1, work_words, sync_words);
    printf("PE %d: %d of all, %d of my half\n", number, of_all, of_half);
    int right = of_all == shmem_n_pes() - 1 && of_half >= number && of_half % 2 == number % 2;
    shmemx_team_destroy(&half);
    shmem_finalize();
    return right ? 0 : 1;
}
