// pes: 2 4
// putmem and getmem move exactly the requested bytes, at every small length, at every misalignment, and at lengths around
// powers of two up to 8 MiB (where a library may change its method of copying).
#include "check.h"

enum { SMALL = 160, MARGIN = 16, BIG = 8 << 20 };
static int me, npes;

static unsigned char pattern(int pe, size_t i)
{
    return (unsigned char)((i * 131 + i / 251 + (size_t)pe * 29) % 250 + 1);
}

static void check_moved(const char *what, const unsigned char *got, size_t len, size_t to, size_t from, int pe)
{
    for (size_t i = 0; i < to + len + MARGIN; i++) {
        int want = i >= to && i < to + len ? pattern(pe, from + i - to) : 0;
        if (got[i] != want)
            FAIL("%s of %zu bytes to offset %zu from offset %zu: byte %zu is %d, expected %d", what, len, to, from, i,
                 got[i], want);
    }
}

static void move(unsigned char *dest, unsigned char *source, size_t len, size_t to, size_t from)
{
    int right = (me + 1) % npes, left = (me + npes - 1) % npes;
    memset(dest, 0, to + len + MARGIN);
    shmem_sync_all();
    shmem_putmem(dest + to, source + from, len, right);
    shmem_barrier_all();
    check_moved("shmem_putmem", dest, len, to, from, left);
    memset(dest, 0, to + len + MARGIN);
    shmem_getmem(dest + to, source + from, len, right);
    check_moved("shmem_getmem", dest, len, to, from, right);
    shmem_barrier_all();
}

int main(void)
{
    begin(&me, &npes);
    unsigned char *dest = need(BIG + 3 * MARGIN), *source = need(BIG + 3 * MARGIN);
    for (size_t i = 0; i < BIG + 3 * MARGIN; i++) source[i] = pattern(me, i);
    for (size_t len = 0; len < SMALL; len++) move(dest, source, len, len % 3, len % 5);
    for (size_t to = 0; to < 17; to++)
        for (size_t from = 0; from < 17; from += 3) move(dest, source, 77, to, from);
    for (size_t len = 256; len <= BIG; len *= 4) {
        move(dest, source, len - 1, 0, 0);
        move(dest, source, len, 1, 0);
        move(dest, source, len + 1, 0, 7);
    }
    end();
    return 0;
}
