// pes: 1 2 4
// put_signal of 8 to 128 bits and of bytes in all forms; a length of zero, NULL included, still sends the signal.
#include "types.h"

enum { LEN = 13, ROOM = LEN * 16 + 16 };
static shmem_ctx_t ctx;
static int me, npes;
static uint64_t sig;

typedef void put_signal(void *, const void *, size_t, uint64_t *, uint64_t, int, int);
typedef void put_signal_ctx(shmem_ctx_t, void *, const void *, size_t, uint64_t *, uint64_t, int, int);
struct row {
    const char *name;
    size_t bytes;
    put_signal *put, *nbi;
    put_signal_ctx *ctx_put, *ctx_nbi;
};
#define ROW(S, BYTES)                                                                                                  \
    {#S, BYTES, shmem_put##S##_signal, shmem_put##S##_signal_nbi, shmem_ctx_put##S##_signal, shmem_ctx_put##S##_signal_nbi},
static const struct row rows[] = {SIZES(ROW) ROW(mem, 1)};

static void send(const struct row *row, void *dest, const void *source, size_t len, int form, int op, int to)
{
    if (form == 0) row->put(dest, source, len, &sig, 9, op, to);
    if (form == 1) row->nbi(dest, source, len, &sig, 9, op, to);
    if (form == 2) row->ctx_put(ctx, dest, source, len, &sig, 9, op, to);
    if (form == 3) row->ctx_nbi(ctx, dest, source, len, &sig, 9, op, to);
}

static void one(const struct row *row, unsigned char *dest, int form, int op, size_t len, int null)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    unsigned char source[ROOM];
    for (size_t i = 0; i < ROOM; i++) source[i] = VALUE(unsigned char, me, to, i), dest[i] = GUARD(unsigned char);
    sig = 1000;
    shmem_barrier_all();
    send(row, null ? NULL : dest, null ? NULL : source, len, form, op, to);
    uint64_t want = op == SHMEM_SIGNAL_ADD ? 1009 : 9;
    CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_NE, 1000), want);
    for (size_t i = 0; i < ROOM; i++) {
        int expected = i < len * row->bytes ? VALUE(unsigned char, from, me, i) : GUARD(unsigned char);
        if (dest[i] != expected)
            FAIL("shmem_put%s_signal form %d: byte %zu is %d, expected %d", row->name, form, i, dest[i], expected);
    }
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
}

int main(void)
{
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    unsigned char *dest = need(ROOM);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int form = 0; form < 4; form++) {
            one(&rows[r], dest, form, SHMEM_SIGNAL_SET, LEN, 0);
            one(&rows[r], dest, form, SHMEM_SIGNAL_ADD, LEN, 0);
            one(&rows[r], dest, form, SHMEM_SIGNAL_ADD, 0, 0);
            one(&rows[r], dest, form, SHMEM_SIGNAL_SET, 0, 1);
        }
    shmem_ctx_destroy(ctx);
    end();
    return 0;
}
