/* A 3-D grid of PEs, made by two 2-D splits: the world into lines along x and planes across them, each plane into lines
 * along y and z. Every PE then prints its position, in the order of the grid.
 *
 *     oshcc grid.c -o grid && oshrun -n 12 ./grid
 */
#include <shmem.h>
#include <stdio.h>

/* The largest divisor of n that is at most its square or cube root (degree 2 or 3), rounded up. */
static int side(int n, int degree)
{
    int s = 1;
    while ((degree == 3 ? s * s * s : s * s) < n) s++;
    while (n % s != 0) s--;
    return s;
}

int main(void)
{
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes();
    const int nx = side(n, 3), ny = side(n / nx, 2), nz = n / nx / ny;

    if (me == 0) printf("xdim = %d, ydim = %d, zdim = %d\n", nx, ny, nz);

    shmem_team_t x, plane, y, z;
    if (shmem_team_split_2d(SHMEM_TEAM_WORLD, nx, NULL, 0, &x, NULL, 0, &plane) != 0 ||
        shmem_team_split_2d(plane, ny, NULL, 0, &y, NULL, 0, &z) != 0) {
        fprintf(stderr, "PE %d: the grid cannot be split\n", me);
        shmem_global_exit(1);
    }
    shmem_team_destroy(plane);

    for (int turn = 0; turn < n; turn++) {
        const int at[3] = {turn % nx, turn / nx % ny, turn / nx / ny};
        if (shmem_team_my_pe(x) == at[0] && shmem_team_my_pe(y) == at[1] && shmem_team_my_pe(z) == at[2]) {
            printf("(%d, %d, %d) is mype = %d\n", at[0], at[1], at[2], me);
            fflush(stdout);
        }
        shmem_team_sync(SHMEM_TEAM_WORLD);
    }
    shmem_team_destroy(x);
    shmem_team_destroy(y);
    shmem_team_destroy(z);
    shmem_finalize();
    return 0;
}
