// pes: 2 4 7 8
// Six generations, each every PE but the first of the reversed parent: translation between any two of them.
#include "check.h"

enum { GENERATIONS = 6 };

int main(void)
{
    int me, npes, n, depth = 0;
    begin(&me, &npes);
    shmem_team_t teams[GENERATIONS + 1] = {SHMEM_TEAM_WORLD};
    int world[GENERATIONS + 1][8];
    for (int i = 0; i < npes; i++) world[0][i] = i;
    for (n = npes; depth < GENERATIONS && n > 1; depth++, n--) {
        CHECK(shmem_team_split_strided(teams[depth], n - 1, -1, n - 1, NULL, 0, &teams[depth + 1]) == 0);
        for (int i = 0; i < n - 1; i++) world[depth + 1][i] = world[depth][n - 1 - i];
        int mine = -1;
        for (int i = 0; i < n - 1; i++)
            if (world[depth + 1][i] == me) mine = i;
        CHECK_EQ(shmem_team_my_pe(teams[depth + 1]), mine);
        if (mine < 0) break;
    }
    int known = depth; // generations that this PE is a member of
    if (known < GENERATIONS && n > 1) CHECK(teams[known + 1] == SHMEM_TEAM_INVALID);
    for (int from = 0; from <= known; from++)
        for (int to = 0; to <= known; to++)
            for (int i = 0; i < npes - from; i++) {
                int want = -1;
                for (int k = 0; k < npes - to; k++)
                    if (world[to][k] == world[from][i]) want = k;
                CHECK_NTH("translation", i, shmem_team_translate_pe(teams[from], i, teams[to]), want);
            }
    for (int i = 1; i <= known; i++) shmem_team_destroy(teams[i]); // parents first
    end();
    return 0;
}
