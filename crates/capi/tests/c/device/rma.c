// Puts and gets between every two kinds of memory: the symmetric one on the host's heap, static or on the device's heap; the local one also
// private, or device memory of the program's own.
// pes: 1 2 3
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
    struct {
        const char *name;
        unsigned char *at;
        int on_device, is_symmetric;
    } places[] = {
        {"host heap", need(BYTES), 0, 1},
        {"statics", in_statics, 0, 1},
        {"device heap", need_device(BYTES), 1, 1},
        {"device memory", device_alloc(BYTES), 1, 0},
        {"private memory", malloc(BYTES), 0, 0},
    }, others[] = {
        {"host heap", need(BYTES), 0, 1},
        {"statics", other_statics, 0, 1},
        {"device heap", need_device(BYTES), 1, 1},
    };
    const size_t sizes[] = {1, 8, 1000, 262144, 262145, BYTES};
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    unsigned round = 0;
    for (int there = 0; there < 3; there++)
        for (int local = 0; local < 5; local++)
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

    /* Single elements, and strides: one of which the driver does not know, over several blocks. */
    long *words = need_device(100 * sizeof(long)), *local = device_alloc(100 * sizeof(long)), plain[100];
    shmem_long_p(&words[3], 1000 + me, to);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&words[3], me), 1000 + from);
    CHECK_EQ(shmem_long_g(&words[3], to), 1000 + me);
    for (int i = 0; i < 100; i++) plain[i] = 100 * me + i;
    write_to(local, 1, plain, sizeof plain);
    shmem_barrier_all();
    shmem_long_iput(words, local, 3, 2, 20, to);
    shmem_barrier_all();
    read_from(plain, words, 1, sizeof plain);
    for (int i = 0; i < 20; i++) CHECK_NTH("iput", i, plain[3 * i], 100 * from + 2 * i);
    for (int i = 0; i < 100; i++) plain[i] = 5000 + 100 * me + i;
    write_to(words, 1, plain, sizeof plain);
    shmem_barrier_all();
    memset(plain, 0, sizeof plain);
    shmem_long_ibget(plain, words, 4, 5, 3, 10, to);
    for (int i = 0; i < 30; i++) CHECK_NTH("ibget", i, plain[i / 3 * 4 + i % 3], 5000 + 100 * to + i / 3 * 5 + i % 3);
    shmem_long_iget(local, words, 2, 1, 30, to);
    read_from(plain, local, 1, sizeof plain);
    for (int i = 0; i < 30; i++) CHECK_NTH("iget", i, plain[2 * i], 5000 + 100 * to + i);

    /* A context of its own, and a put of nothing from nowhere. */
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    plain[0] = 77 + me;
    shmem_barrier_all();
    shmem_ctx_long_put_nbi(ctx, &words[50], plain, 1, to);
    shmem_ctx_quiet(ctx);
    shmem_putmem(words, NULL, 0, to);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&words[50], me), 77 + from);
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
