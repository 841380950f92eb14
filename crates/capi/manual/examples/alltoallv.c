#include <shmemx.h>
#include <stdio.h>
#include <string.h>

static char outgoing[3], incoming[7];
static long sync_words[SHMEM_ALLTOALL_SYNC_SIZE];

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    memset(outgoing, 'a' + me, sizeof outgoing);
    size_t offsets[3] = {0, 0, 0}, sizes[3] = {me + 1, me + 1, me + 1}, came;
    shmem_barrier_all();
    shmemx_team_alltoallv_packed(incoming, 6, &came, outgoing, offsets, sizes, SHMEM_TEAM_WORLD, sync_words);
    printf("PE %d received %zu bytes: %s\n", me, came, incoming);
    int right = came == 6 && strcmp(incoming, "abbccc") == 0;
    shmem_finalize();
    return right ? 0 : 1;
}
