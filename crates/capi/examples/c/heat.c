/* Heat diffusion on a plate whose rim is kept at 0, by the explicit five-point scheme. The plate is divided into blocks, one
 * for each PE of a grid of PEs. In every step a PE puts the rim of its block into the halo of each neighbour, sets a
 * flag there, and waits for the flags of its neighbours: no barrier. Two halos are used in turn: a neighbour that has sent
 * the halo of step k + 1 has finished with mine of step k, so step k + 2 may overwrite it.
 *
 * The plate starts as two waves, which the scheme damps by a factor known in advance: every cell is checked.
 *
 *     oshcc -O2 heat.c -lm -o heat && oshrun -n 4 ./heat --rows 1000 --columns 1000 --steps 100
 */
#include "example.h"

#include <math.h>

#define PI 3.14159265358979323846
enum { NORTH, SOUTH, WEST, EAST, SIDES };

static struct {
    long rows, columns;          /* of the whole plate */
    long height, width;          /* of my block */
    long top, left;              /* the position of its first cell in the plate */
    int neighbour[SIDES];        /* numbers in the world; -1 at the rim of the plate */
} block;

static double *halo[2][SIDES]; /* symmetric: the halo put by the neighbour on each side, for even and odd steps */
static long *arrived;          /* symmetric, by side: the last step whose halo has arrived */

/* The greatest divisor of n that is not above its square root. */
static int side(int n) {
    int s = 1;
    for (int i = 1; i * i <= n; i++)
        if (n % i == 0) s = i;
    return s;
}

/* The position of this PE in a grid `across` PEs wide, and its neighbours. */
static void find_neighbours(int across) {
    const int me = shmem_my_pe(), down = shmem_n_pes() / across;
#if HAVE_TEAMS
    shmem_team_t row, column;
    if (shmem_team_split_2d(SHMEM_TEAM_WORLD, across, NULL, 0, &row, NULL, 0, &column) != 0)
        give_up("the world cannot be split into rows and columns");
    const int x = shmem_team_my_pe(row), y = shmem_team_my_pe(column);
    block.neighbour[WEST] = shmem_team_translate_pe(row, x - 1, SHMEM_TEAM_WORLD);
    block.neighbour[EAST] = shmem_team_translate_pe(row, x + 1, SHMEM_TEAM_WORLD);
    block.neighbour[NORTH] = shmem_team_translate_pe(column, y - 1, SHMEM_TEAM_WORLD);
    block.neighbour[SOUTH] = shmem_team_translate_pe(column, y + 1, SHMEM_TEAM_WORLD);
    shmem_team_destroy(row);
    shmem_team_destroy(column);
#else
    const int x = me % across, y = me / across;
    block.neighbour[WEST] = x > 0 ? me - 1 : -1;
    block.neighbour[EAST] = x + 1 < across ? me + 1 : -1;
    block.neighbour[NORTH] = y > 0 ? me - across : -1;
    block.neighbour[SOUTH] = y + 1 < down ? me + across : -1;
#endif
    (void)me;
    block.top = block.rows * y / down;
    block.height = block.rows * (y + 1) / down - block.top;
    block.left = block.columns * x / across;
    block.width = block.columns * (x + 1) / across - block.left;
}

/* A wave with `p` antinodes down and `q` across, at a cell of the plate. */
static double wave(int p, int q, long row, long column) {
    return sin(PI * p * (double)(row + 1) / (double)(block.rows + 1)) *
           sin(PI * q * (double)(column + 1) / (double)(block.columns + 1));
}

/* The factor by which a step multiplies the wave: it is an eigenvector of the scheme. */
static double damping(int p, int q, double rate) {
    const double down = sin(PI * p / (2.0 * (double)(block.rows + 1)));
    const double across = sin(PI * q / (2.0 * (double)(block.columns + 1)));
    return 1 - 4 * rate * (down * down + across * across);
}

/* Put the rim of `cells` into the neighbours' halos of `step`. */
static void send_rim(const double *cells, double *column, long step) {
    static const int opposite[SIDES] = {SOUTH, NORTH, EAST, WEST};
    const long pitch = block.width + 2;
    shmem_fence(); /* halos and flags of the previous step may still be in transit, and must not arrive after these */
    for (int s = 0; s < SIDES; s++) {
        const int pe = block.neighbour[s];
        if (pe < 0) continue;
        const double *source = cells + pitch * (s == SOUTH ? block.height : 1) + 1;
        long length = block.width;
        if (s == WEST || s == EAST) {
            const long at = s == WEST ? 1 : block.width;
            for (long i = 0; i < block.height; i++) column[i] = cells[pitch * (i + 1) + at];
            source = column;
            length = block.height;
        }
        double *dest = halo[step % 2][opposite[s]];
#if HAVE_TEAMS
        shmem_double_put_signal(dest, source, (size_t)length, (uint64_t *)&arrived[opposite[s]], (uint64_t)step,
                                SHMEM_SIGNAL_SET, pe);
#else
        shmem_double_put(dest, source, (size_t)length, pe);
        shmem_fence();
        shmem_long_atomic_set(&arrived[opposite[s]], step, pe);
#endif
    }
}

/* Wait for the halos of `step` and copy them around `cells`. */
static void take_halo(double *cells, long step) {
    const long pitch = block.width + 2;
    for (int s = 0; s < SIDES; s++) {
        if (block.neighbour[s] < 0) continue;
#if HAVE_TEAMS
        shmem_signal_wait_until((uint64_t *)&arrived[s], SHMEM_CMP_GE, (uint64_t)step);
#else
        shmem_long_wait_until(&arrived[s], SHMEM_CMP_GE, step);
#endif
        const double *from = halo[step % 2][s];
        if (s == NORTH || s == SOUTH)
            memcpy(cells + pitch * (s == NORTH ? 0 : block.height + 1) + 1, from, (size_t)block.width * sizeof *from);
        else
            for (long i = 0; i < block.height; i++)
                cells[pitch * (i + 1) + (s == WEST ? 0 : block.width + 1)] = from[i];
    }
}

int main(int argc, char **argv) {
    shmem_init();
    struct option_row options[] = {
        {"rows", 256, 1, 1000000, "cells from top to bottom"},
        {"columns", 256, 1, 1000000, "cells from left to right"},
        {"steps", 100, 1, 1000000000, "steps of time"},
    };
    read_options(argc, argv, "heat", "heat on a plate, with an exchange of halos", options, OPTIONS(options));
    block.rows = options[0].value;
    block.columns = options[1].value;
    const long steps = options[2].value;
    const double rate = 0.2;

    const int across = shmem_n_pes() / side(shmem_n_pes());
    if (block.columns < across || block.rows < shmem_n_pes() / across)
        give_up("the plate has fewer rows or columns than the grid of PEs");
    find_neighbours(across);
    const long longest = max_over_all(block.width > block.height ? block.width : block.height);
    for (int s = 0; s < 2 * SIDES; s++) halo[s / SIDES][s % SIDES] = symmetric((size_t)longest, sizeof(double));
    arrived = symmetric(SIDES, sizeof *arrived);

    const long pitch = block.width + 2, cells = pitch * (block.height + 2);
    double *now = private_memory((size_t)cells, sizeof *now), *next = private_memory((size_t)cells, sizeof *next);
    double *column = private_memory((size_t)block.height, sizeof *column);
    for (long i = 0; i < block.height; i++)
        for (long j = 0; j < block.width; j++)
            now[pitch * (i + 1) + j + 1] =
                wave(1, 1, block.top + i, block.left + j) + wave(3, 2, block.top + i, block.left + j);

    shmem_barrier_all();
    const double begin = seconds();
    for (long step = 1; step <= steps; step++) {
        send_rim(now, column, step);
        take_halo(now, step);
        for (long i = 1; i <= block.height; i++) {
            const double *here = now + pitch * i;
            double *there = next + pitch * i;
            for (long j = 1; j <= block.width; j++)
                there[j] = here[j] + rate * (here[j - 1] + here[j + 1] + here[j - pitch] + here[j + pitch] - 4 * here[j]);
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    const double took = real_max_over_all(seconds() - begin);

    const double first = pow(damping(1, 1, rate), (double)steps), second = pow(damping(3, 2, rate), (double)steps);
    long wrong = 0;
    for (long i = 0; i < block.height; i++)
        for (long j = 0; j < block.width; j++) {
            const double exact = first * wave(1, 1, block.top + i, block.left + j) +
                                 second * wave(3, 2, block.top + i, block.left + j);
            if (!(fabs(now[pitch * (i + 1) + j + 1] - exact) <= 1e-10)) wrong++;
        }
    const double updates = (double)block.rows * (double)block.columns * (double)steps;
    return finish("heat", wrong, updates / took / 1e6, "Mcells/s", took, options, OPTIONS(options));
}
