// pes: 1 2 4
// iput, iget, ibput and ibget of 8 to 128 bits, plain and on a context: right elements moved, every gap left alone.
#include "strided.h"
#include "types.h"

enum { ROOM = SHAPE_ROOM, ELEMENT_MAX = 16 };
static shmem_ctx_t ctx;
static int me, npes;

typedef void strided(void *, const void *, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
typedef void strided_ctx(shmem_ctx_t, void *, const void *, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
typedef void blocked(void *, const void *, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
typedef void blocked_ctx(shmem_ctx_t, void *, const void *, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks,
                         int pe);

struct row {
    const char *name;
    size_t bytes;
    strided *iput, *iget;
    strided_ctx *ctx_iput, *ctx_iget;
    blocked *ibput, *ibget;
    blocked_ctx *ctx_ibput, *ctx_ibget;
};
#define ROW(S, BYTES)                                                                                                  \
    {#S,           BYTES,         shmem_iput##S,      shmem_iget##S,     shmem_ctx_iput##S,                            \
     shmem_ctx_iget##S, shmem_ibput##S, shmem_ibget##S, shmem_ctx_ibput##S, shmem_ctx_ibget##S},
static const struct row rows[] = {SIZES(ROW)};

/* Byte `b` of element `i` as PE `from` holds it. */
static unsigned char byte_of(int from, ptrdiff_t i, size_t b)
{
    return VALUE(unsigned char, from, (int)b, i);
}

static void check_elements(const char *what, const struct row *row, const unsigned char *got, int from,
                           const struct shape *s)
{
    for (ptrdiff_t i = 0; i < ROOM; i++)
        for (size_t b = 0; b < row->bytes; b++) {
            ptrdiff_t at = origin(s, i);
            int want = at < 0 ? GUARD(unsigned char) : byte_of(from, at, b), is = got[i * row->bytes + b];
            if (is != want)
                FAIL("%s%s dst=%td sst=%td bsize=%zu: byte %zu of element %td is %d, expected %d", what, row->name,
                     s->dst, s->sst, s->bsize, b, i, is, want);
        }
}

static void prepare(const struct row *row, unsigned char *dest, unsigned char *source)
{
    memset(dest, GUARD(unsigned char), ROOM * ELEMENT_MAX);
    for (ptrdiff_t i = 0; i < ROOM; i++)
        for (size_t b = 0; b < row->bytes; b++) source[i * row->bytes + b] = byte_of(me, i, b);
    shmem_barrier_all();
}

static void put(const struct row *row, unsigned char *dest, unsigned char *source, const struct shape *s, int form)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    prepare(row, dest, source);
    if (form == 0) row->ibput(dest, source, s->dst, s->sst, s->bsize, s->nblocks, to);
    if (form == 1) row->ctx_ibput(ctx, dest, source, s->dst, s->sst, s->bsize, s->nblocks, to);
    if (form == 2) row->iput(dest, source, s->dst, s->sst, s->nblocks, to);
    if (form == 3) row->ctx_iput(ctx, dest, source, s->dst, s->sst, s->nblocks, to);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    check_elements(form < 2 ? "shmem_ibput" : "shmem_iput", row, dest, from, s);
}

static void get(const struct row *row, unsigned char *dest, unsigned char *source, const struct shape *s, int form)
{
    int from = (me + 1) % npes;
    prepare(row, dest, source);
    if (form == 0) row->ibget(dest, source, s->dst, s->sst, s->bsize, s->nblocks, from);
    if (form == 1) row->ctx_ibget(ctx, dest, source, s->dst, s->sst, s->bsize, s->nblocks, from);
    if (form == 2) row->iget(dest, source, s->dst, s->sst, s->nblocks, from);
    if (form == 3) row->ctx_iget(ctx, dest, source, s->dst, s->sst, s->nblocks, from);
    check_elements(form < 2 ? "shmem_ibget" : "shmem_iget", row, dest, from, s);
    shmem_barrier_all();
}

int main(void)
{
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    unsigned char *dest = need(ROOM * ELEMENT_MAX), *source = need(ROOM * ELEMENT_MAX);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t i = 0; i < SHAPES; i++)
            for (int form = 0; form < (shapes[i].bsize == 1 ? 4 : 2); form++) {
                put(&rows[r], dest, source, &shapes[i], form);
                get(&rows[r], dest, source, &shapes[i], form);
            }
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
