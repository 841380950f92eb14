// Puts and gets between every two kinds of memory that the specification allows.
// pes: 1 2 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=32m
// flags: -ldl
#include "device.h"

enum { BYTES = 1300 << 10 };

static unsigned char in_statics[BYTES], other_statics[BYTES], here[BYTES], back[BYTES];

static void fill(size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++) here[i] = (unsigned char)(i * 7 + i / 251 + seed);
}

static void check(const char *what, size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++)
        if (back[i] != (unsigned char)(i * 7 + i / 251 + seed))
            FAIL("%s: byte %zu of %zu is %d, expected %d", what, i, len, back[i], (unsigned char)(i * 7 + i / 251 + seed));
}

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    struct place places[PLACES], others[SYMMETRIC];
    make_places(places, PLACES, in_statics, BYTES);
    make_places(others, SYMMETRIC, other_statics, BYTES);
    const size_t sizes[] = {1, 8, 1000, 262144, 262145, BYTES};
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    unsigned round = 0;
    for (int there = 0; there < SYMMETRIC; there++)
        for (int local = 0; local < PLACES; local++)
            for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
                for (int nbi = 0; nbi < 2; nbi++) {
                    char what[128];
                    size_t len = sizes[size];
                    unsigned seed = 31 * round++;
                    snprintf(what, sizeof what, "%zu bytes of %s to %s", len, places[local].name, others[there].name);
                    fill(len, seed + me);
                    write_to(places[local].at, places[local].on_device, here, len);
                    if (nbi) shmem_putmem_nbi(others[there].at, places[local].at, len, to);
                    else shmem_putmem(others[there].at, places[local].at, len, to);
                    shmem_barrier_all();
                    read_from(back, others[there].at, others[there].on_device, len);
                    check(what, len, seed + from);
                    memset(here, 0, len);
                    write_to(places[local].at, places[local].on_device, here, len);
                    if (nbi) shmem_getmem_nbi(places[local].at, others[there].at, len, to);
                    else shmem_getmem(places[local].at, others[there].at, len, to);
                    if (nbi) shmem_quiet();
                    read_from(back, places[local].at, places[local].on_device, len);
                    check("a get", len, seed + me);
                    shmem_barrier_all();
                }

    /* A context of its own, and a put of nothing from nowhere. */
    long *words = need_device(sizeof(long)), plain[1];
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    plain[0] = 77 + me;
    shmem_barrier_all();
    shmem_ctx_long_put_nbi(ctx, words, plain, 1, to);
    shmem_ctx_quiet(ctx);
    shmem_putmem(words, NULL, 0, to);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(words, me), 77 + from);
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
