// pes: 1 2 3 8
// Cray's all-to-all of blocks of different lengths: places determined by the receiver's offsets, lengths reported to the
// receiver, the packed form with contiguous blocks; over an active set with its work array unchanged, and over a team.
#include "check.h"
#include <shmemx.h>

enum { ROOM = 4096 };
static int me, npes;
static long psync[SHMEM_ALLTOALL_SYNC_SIZE];

static size_t length(int from, int to, int round)
{
    return (size_t)((from * 7 + to * 13 + round * 5) % 11) * 300 % ROOM;
}

static unsigned char byte(int from, int to, size_t i, int round)
{
    return (unsigned char)(from * 31 + to * 7 + (int)i * 3 + round);
}

int main(void)
{
    begin(&me, &npes);
    size_t n = (size_t)npes, room = n * ROOM;
    unsigned char *source = need(room), *target = need(room);
    size_t *arrays = need(4 * n * sizeof *arrays);
    size_t *s_offsets = arrays, *s_sizes = arrays + n, *t_offsets = arrays + 2 * n, *t_sizes = arrays + 3 * n;
    for (int round = 0; round < 60; round++) {
        for (int pe = 0; pe < npes; pe++) {
            s_offsets[pe] = (size_t)((pe + round) % npes) * ROOM;
            s_sizes[pe] = length(me, pe, round);
            if (s_sizes[pe] == 0) s_offsets[pe] = 0x7fff00001234; /* programs leave it unset */
            t_offsets[pe] = (size_t)(npes - 1 - pe) * ROOM;
            t_sizes[pe] = SIZE_MAX;
            for (size_t i = 0; i < s_sizes[pe]; i++) source[s_offsets[pe] + i] = byte(me, pe, i, round);
        }
        if (round % 2) shmemx_alltoallv(target, t_offsets, t_sizes, source, s_offsets, s_sizes, 0, 0, npes, psync);
        else shmemx_team_alltoallv(target, t_offsets, t_sizes, source, s_offsets, s_sizes, SHMEM_TEAM_WORLD, psync);
        for (int pe = 0; pe < npes; pe++) {
            CHECK_NTH("length", pe, t_sizes[pe], length(pe, me, round));
            for (size_t i = 0; i < t_sizes[pe]; i++)
                CHECK_NTH("byte", i, target[t_offsets[pe] + i], byte(pe, me, i, round));
        }
        size_t total = 0, at = 0;
        if (round % 2) shmemx_team_alltoallv_packed(target, room, &total, source, s_offsets, s_sizes, SHMEM_TEAM_WORLD, psync);
        else shmemx_alltoallv_packed(target, room, &total, source, s_offsets, s_sizes, 0, 0, npes, psync);
        for (int pe = 0; pe < npes; pe++)
            for (size_t i = 0; i < length(pe, me, round); i++) { CHECK_NTH("packed", at, target[at], byte(pe, me, i, round)); at++; }
        CHECK_EQ(total, at);
    }
    for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; i++) CHECK_NTH("pSync", i, psync[i], SHMEM_SYNC_VALUE);
    end();
    return 0;
}
