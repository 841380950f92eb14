// pes: 1 4 7 8
// Cray's splits into rows and columns with both ranges given, into lines of three axes, and by color and key; a PE in none of
// them gets SHMEM_TEAM_NULL.
#include "check.h"
#include <shmemx.h>

static int me, npes;

static int world(shmem_team_t team, int pe)
{
    return shmemx_team_translate_pe(team, pe, SHMEM_TEAM_WORLD);
}

static void grid(int xrange, int yrange)
{
    shmem_team_t x, y;
    shmemx_team_split_2d(SHMEM_TEAM_WORLD, xrange, yrange, &x, &y);
    if (me >= xrange * yrange) {
        CHECK(x == SHMEM_TEAM_NULL && y == SHMEM_TEAM_NULL);
        return;
    }
    CHECK_EQ(shmemx_team_n_pes(x), xrange);
    CHECK_EQ(shmemx_team_n_pes(y), yrange);
    for (int i = 0; i < xrange; i++) CHECK_NTH("row", i, world(x, i), me / xrange * xrange + i);
    for (int i = 0; i < yrange; i++) CHECK_NTH("column", i, world(y, i), me % xrange + i * xrange);
    shmemx_team_destroy(&x);
    shmemx_team_destroy(&y);
    CHECK(x == SHMEM_TEAM_NULL && y == SHMEM_TEAM_NULL);
}

static void cube(void)
{
    int side = npes >= 8 ? 2 : 1;
    shmem_team_t axis[3];
    shmemx_team_split_3d(SHMEM_TEAM_WORLD, side, side, side, &axis[0], &axis[1], &axis[2]);
    for (int a = 0; a < 3; a++) {
        if (me >= side * side * side) {
            CHECK(axis[a] == SHMEM_TEAM_NULL);
            continue;
        }
        for (int i = 0; i < side; i++) CHECK_NTH("line", i, world(axis[a], i), side == 1 ? 0 : (me & ~(1 << a)) | i << a);
        shmemx_team_destroy(&axis[a]);
    }
}

static void colors(void)
{
    shmem_team_t team;
    int color = me == npes - 1 ? SHMEM_COLOR_UNDEFINED : me % 2;
    shmemx_team_split(SHMEM_TEAM_WORLD, color, npes - me, &team);
    if (color == SHMEM_COLOR_UNDEFINED) {
        CHECK(team == SHMEM_TEAM_NULL);
        return;
    }
    int size = 0;
    for (int pe = npes - 2; pe >= 0; pe--)
        if (pe % 2 == color) { CHECK_NTH("of a color", size, world(team, size), pe); size++; }
    CHECK_EQ(shmemx_team_n_pes(team), size);
    shmemx_team_destroy(&team);
}

int main(void)
{
    begin(&me, &npes);
    for (int round = 0; round < 20; round++) {
        for (int x = 1; x <= npes; x++)
            for (int y = 1; x * y <= npes; y++) grid(x, y);
        cube();
        colors();
    }
    end();
    return 0;
}
