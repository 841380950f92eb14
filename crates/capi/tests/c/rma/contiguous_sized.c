// pes: 1 2 3 4 7
// put and get of 8 to 128 bits and of bytes, blocking or not, plain or on a context: exactly nelems elements move.
#include "types.h"

enum { LEN = 21, ROOM = LEN * 16 + 16, SHIFT = 16 };
static shmem_ctx_t ctx;
static int me, npes;

typedef void contiguous(void *dest, const void *source, size_t nelems, int pe);
typedef void contiguous_ctx(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe);

struct row {
    const char *name;
    size_t bytes;
    contiguous *put, *put_nbi, *get, *get_nbi;
    contiguous_ctx *ctx_put, *ctx_put_nbi, *ctx_get, *ctx_get_nbi;
};
#define ROW(S, BYTES)                                                                                                  \
    {#S, BYTES, shmem_put##S, shmem_put##S##_nbi, shmem_get##S, shmem_get##S##_nbi, shmem_ctx_put##S,                  \
     shmem_ctx_put##S##_nbi, shmem_ctx_get##S, shmem_ctx_get##S##_nbi},
static const struct row rows[] = {SIZES(ROW) ROW(mem, 1)};

static void check_bytes(const char *what, const struct row *row, const unsigned char *got, int from, int to)
{
    size_t len = LEN * row->bytes;
    for (size_t i = 0; i < ROOM; i++) {
        int want = i >= SHIFT && i < SHIFT + len ? VALUE(unsigned char, from, to, i) : GUARD(unsigned char);
        if (got[i] != want) FAIL("%s%s: byte %zu is %d, expected %d", what, row->name, i, got[i], want);
    }
}

static void put(const struct row *row, unsigned char *dest, unsigned char *source, int form)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    memset(dest, GUARD(unsigned char), ROOM);
    for (size_t i = 0; i < ROOM; i++) source[i] = VALUE(unsigned char, me, to, i);
    shmem_barrier_all();
    void *at = dest + SHIFT, *of = source + SHIFT;
    if (form == 0) row->put(at, of, LEN, to);
    if (form == 1) row->ctx_put(ctx, at, of, LEN, to);
    if (form == 2) row->put_nbi(at, of, LEN, to);
    if (form == 3) row->ctx_put_nbi(ctx, at, of, LEN, to);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    check_bytes("shmem_put", row, dest, from, me);
}

static void get(const struct row *row, unsigned char *dest, unsigned char *source, int form)
{
    int from = (me + 1) % npes;
    memset(dest, GUARD(unsigned char), ROOM);
    for (size_t i = 0; i < ROOM; i++) source[i] = VALUE(unsigned char, me, 5, i);
    shmem_barrier_all();
    void *at = dest + SHIFT, *of = source + SHIFT;
    if (form == 0) row->get(at, of, LEN, from);
    if (form == 1) row->ctx_get(ctx, at, of, LEN, from);
    if (form == 2) row->get_nbi(at, of, LEN, from);
    if (form == 3) row->ctx_get_nbi(ctx, at, of, LEN, from);
    shmem_quiet();
    shmem_ctx_quiet(ctx);
    check_bytes("shmem_get", row, dest, from, 5);
    shmem_barrier_all();
}

int main(void)
{
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    unsigned char *dest = need(ROOM), *source = need(ROOM);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int form = 0; form < 4; form++) {
            put(&rows[i], dest, source, form);
            get(&rows[i], dest, source, form);
        }
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
