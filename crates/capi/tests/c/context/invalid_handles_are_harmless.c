// pes: 1 2
// SHMEM_CTX_INVALID and SHMEM_TEAM_INVALID where the specification allows them: no action, or a nonzero return and an invalid
// result, and never the end of the job.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    shmem_team_t team = SHMEM_TEAM_WORLD;
    const shmem_ctx_session_config_t config = {8};
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx) != 0);
    CHECK(ctx == SHMEM_CTX_INVALID);
    CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0);
    CHECK(team == SHMEM_TEAM_INVALID);
    shmem_ctx_destroy(SHMEM_CTX_INVALID);
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    shmem_ctx_session_start(SHMEM_CTX_INVALID, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
    shmem_ctx_session_stop(SHMEM_CTX_INVALID);
    CHECK(shmem_team_ptr(SHMEM_TEAM_INVALID, &ctx, 0) == NULL);
    end();
    return 0;
}
