// pes: 12
// line: xdim = 3, ydim = 2, zdim = 2
// line: (0, 0, 0) is mype = 0
// line: (1, 0, 0) is mype = 1
// line: (2, 0, 0) is mype = 2
// line: (0, 1, 0) is mype = 3
// line: (1, 1, 0) is mype = 4
// line: (2, 1, 0) is mype = 5
// line: (0, 0, 1) is mype = 6
// line: (1, 0, 1) is mype = 7
// line: (2, 0, 1) is mype = 8
// line: (0, 1, 1) is mype = 9
// line: (1, 1, 1) is mype = 10
// line: (2, 1, 1) is mype = 11
// flags: -lm
// A grid in three dimensions by two splits in two: rows of the world, then a split of the remaining dimensions. The column team
// is usable at once, and destroyed while its children exist; the PEs report in the order of their coordinates.
#include <math.h>
#include <shmem.h>
#include <stdio.h>

/* The largest divisor of `cells` that is not above `from`. */
static int divisor(int cells, double from)
{
    int d = (int)ceil(from);
    while (d > 1 && cells % d != 0) d--;
    return d;
}

int main(void)
{
    shmem_init();
    int mype = shmem_my_pe(), npes = shmem_n_pes();
    int xdim = divisor(npes, cbrt(npes)), ydim = divisor(npes / xdim, sqrt(npes / xdim)), zdim = npes / xdim / ydim;
    if (mype == 0) printf("xdim = %d, ydim = %d, zdim = %d\n", xdim, ydim, zdim);

    shmem_team_t xteam, yzteam, yteam, zteam;
    shmem_team_split_2d(SHMEM_TEAM_WORLD, xdim, NULL, 0, &xteam, NULL, 0, &yzteam);
    shmem_team_split_2d(yzteam, ydim, NULL, 0, &yteam, NULL, 0, &zteam);
    shmem_team_destroy(yzteam);

    int x = shmem_team_my_pe(xteam), y = shmem_team_my_pe(yteam), z = shmem_team_my_pe(zteam);
    for (int turn = 0; turn < npes; turn++) {
        if (turn == (z * ydim + y) * xdim + x) {
            printf("(%d, %d, %d) is mype = %d\n", x, y, z, mype);
            fflush(stdout);
        }
        shmem_team_sync(SHMEM_TEAM_WORLD);
    }
    shmem_finalize();
    return 0;
}
