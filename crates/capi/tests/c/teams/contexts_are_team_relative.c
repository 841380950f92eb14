// pes: 1 2 4 5 8
// On a team's context every PE number is the team's: put, get, p, g, strided and blocked forms, atomics, signals, pe_quiet. The
// context is destroyed with the team; shmem_ctx_get_team returns the team; a non-member cannot create one.
#include "samples.h"

struct board { // one per PE: the last writer, by kind
    long put[PES_MAX], p[PES_MAX], nbi[PES_MAX], strided[2 * PES_MAX], blocked[2 * PES_MAX];
    long added[PES_MAX], set, swapped, compared;
    uint64_t signal, sum;
    long with_signal, own;
};

static void write_to(shmem_ctx_t ctx, struct board *board, const struct sample *one, int pe)
{
    long mark = 1000 + one->me, pair[2] = {mark, mark + 1};
    int me = one->me;
    shmem_ctx_long_put(ctx, &board->put[me], &mark, 1, pe);
    shmem_ctx_long_p(ctx, &board->p[me], mark, pe);
    shmem_ctx_long_put_nbi(ctx, &board->nbi[me], &mark, 1, pe);
    shmem_ctx_long_iput(ctx, &board->strided[2 * me], pair, 1, 1, 2, pe);
    shmem_ctx_long_ibput(ctx, &board->blocked[2 * me], pair, 2, 2, 2, 1, pe);
    shmem_ctx_long_atomic_add(ctx, &board->added[me], mark, pe);
    shmem_ctx_signal_add(ctx, &board->sum, 1, pe);
    shmem_ctx_quiet(ctx); // `mark` and `pair` end here
}

static void neighbours(shmem_ctx_t ctx, struct board *board, const struct sample *one)
{
    int next = (one->me + 1) % one->n, before = (one->me + one->n - 1) % one->n;
    long mark = 2000 + one->me;
    shmem_ctx_long_atomic_set(ctx, &board->set, mark, next);
    CHECK_EQ(shmem_ctx_long_atomic_swap(ctx, &board->swapped, mark, next), 0);
    CHECK_EQ(shmem_ctx_long_atomic_compare_swap(ctx, &board->compared, 0, mark, next), 0);
    shmem_ctx_signal_set(ctx, &board->signal, (uint64_t)mark, next);
    shmem_ctx_long_put_signal(ctx, &board->with_signal, &mark, 1, &board->sum, 1000, SHMEM_SIGNAL_ADD, next);
    shmem_ctx_pe_quiet(ctx, &next, 1);
    CHECK(shmem_team_sync(one->team) == 0);
    CHECK_OVER(one, "shmem_ctx_long_atomic_set", 0, board->set, 2000 + before);
    CHECK_OVER(one, "shmem_ctx_long_atomic_swap", 0, board->swapped, 2000 + before);
    CHECK_OVER(one, "shmem_ctx_long_atomic_compare_swap", 0, board->compared, 2000 + before);
    CHECK_OVER(one, "shmem_ctx_signal_set", 0, board->signal, 2000 + before);
    CHECK_OVER(one, "shmem_ctx_long_put_signal", 0, board->with_signal, 2000 + before);
    CHECK_OVER(one, "signals", 0, board->sum, 1000 + one->n);
}

static void read_from(shmem_ctx_t ctx, const struct board *board, const struct sample *one, int pe)
{
    long got[4] = {-1, -1, -1, -1};
    shmem_ctx_long_get(ctx, &got[0], &board->own, 1, pe);
    CHECK_OVER(one, "shmem_ctx_long_get", pe, got[0], one->world[pe]);
    CHECK_OVER(one, "shmem_ctx_long_g", pe, shmem_ctx_long_g(ctx, &board->own, pe), one->world[pe]);
    shmem_ctx_long_get_nbi(ctx, &got[1], &board->own, 1, pe);
    shmem_ctx_long_iget(ctx, &got[2], &board->own, 1, 1, 1, pe);
    shmem_ctx_long_ibget(ctx, &got[3], &board->own, 1, 1, 1, 1, pe);
    shmem_ctx_quiet(ctx);
    for (int i = 1; i < 4; i++) CHECK_OVER(one, "a get", i, got[i], one->world[pe]);
    CHECK_OVER(one, "shmem_ctx_long_atomic_fetch", pe, shmem_ctx_long_atomic_fetch(ctx, &board->own, pe), one->world[pe]);
}

static void check(const struct sample *one, struct board *board, long options)
{
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    shmem_team_t team = SHMEM_TEAM_INVALID;
    CHECK(shmem_team_create_ctx(one->team, options, &ctx) == 0);
    CHECK(ctx != SHMEM_CTX_INVALID);
    CHECK(shmem_ctx_get_team(ctx, &team) == 0);
    CHECK(team == one->team);
    memset(board, 0, sizeof *board);
    board->own = one->world[one->me];
    CHECK(shmem_team_sync(one->team) == 0);
    for (int pe = 0; pe < one->n; pe++) write_to(ctx, board, one, pe);
    CHECK(shmem_team_sync(one->team) == 0);
    for (int pe = 0; pe < one->n; pe++) {
        CHECK_OVER(one, "shmem_ctx_long_put", pe, board->put[pe], 1000 + pe);
        CHECK_OVER(one, "shmem_ctx_long_p", pe, board->p[pe], 1000 + pe);
        CHECK_OVER(one, "shmem_ctx_long_put_nbi", pe, board->nbi[pe], 1000 + pe);
        CHECK_OVER(one, "shmem_ctx_long_iput", pe, board->strided[2 * pe + 1], 1001 + pe);
        CHECK_OVER(one, "shmem_ctx_long_ibput", pe, board->blocked[2 * pe + 1], 1001 + pe);
        CHECK_OVER(one, "shmem_ctx_long_atomic_add", pe, board->added[pe], 1000 + pe);
        read_from(ctx, board, one, pe);
        CHECK(shmem_team_ptr(one->team, board, pe) == shmem_ptr(board, one->world[pe]));
    }
    neighbours(ctx, board, one);
    CHECK(shmem_team_sync(one->team) == 0);
    shmem_ctx_destroy(ctx);
}

int main(void)
{
    int me, npes;
    struct samples all;
    begin(&me, &npes);
    struct board *board = need(sizeof *board);
    samples_make(&all);
    EACH_SAMPLE(one, &all) {
        check(one, board, 0);
        check(one, board, SHMEM_CTX_SERIALIZED);
        check(one, board, SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE);
        shmem_ctx_t left = SHMEM_CTX_INVALID; // ends with its team
        CHECK(shmem_team_create_ctx(one->team, 0, &left) == 0);
    }
    samples_destroy(&all);
    end();
    return 0;
}
