#include <shmem.h>
#include <stdio.h>

static int mine, row_sum, largest;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    shmem_team_t row, column;
    if (shmem_team_split_2d(SHMEM_TEAM_WORLD, 3, NULL, 0, &row, NULL, 0, &column) != 0)
        shmem_global_exit(1);

    mine = me;
    shmem_int_sum_reduce(row, &row_sum, &mine, 1);
    shmem_int_max_reduce(column, &largest, &row_sum, 1);
    int x = shmem_team_my_pe(row), y = shmem_team_my_pe(column);
    if (me == 0 || me == npes - 1)
        printf("PE %d: column %d of row %d; its row sums to %d, the largest is %d\n", me, x, y, row_sum, largest);

    int right = x == me % 3 && y == me / 3 && row_sum == 9 * y + 3 && largest == 12;
    shmem_team_destroy(row);
    shmem_team_destroy(column);
    shmem_finalize();
    return right ? 0 : 1;
}
