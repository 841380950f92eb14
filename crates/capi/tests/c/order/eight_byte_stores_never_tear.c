// pes: 2 4
// each: FERRITE_COUNTERS = 0 | 1
// Aligned 8-byte (and shorter) p, put, get and g are seen whole: writers alternate two patterns, readers see one or the other.
#include "check.h"

enum { MS = 1500, CHUNK = 2000, LONGS = 3 };
static uint64_t word, stop;
static uint32_t half;
static uint16_t quarter;

static const uint64_t patterns[2] = {0x0000000000000000u, 0xffffffffffffffffu};

static void write_chunk(uint64_t *heap_word)
{
    for (int i = 0; i < CHUNK; i++) {
        uint64_t value = patterns[i % 2];
        shmem_uint64_p(&word, value, 1);
        shmem_uint64_put(heap_word, &value, 1, 1);
        shmem_put64_nbi(heap_word, &value, 1, 1), shmem_quiet();
        shmem_uint32_p(&half, (uint32_t)value, 1);
        shmem_uint16_p(&quarter, (uint16_t)value, 1);
    }
}

static void whole(const char *what, uint64_t got, uint64_t mask)
{
    if (got != 0 && got != mask) FAIL("%s read the torn value %#jx", what, (uintmax_t)got);
}

static void read_chunk(uint64_t *heap_word)
{
    for (int i = 0; i < CHUNK; i++) {
        uint64_t copy;
        whole("shmem_uint64_g", shmem_uint64_g(&word, 1), UINT64_MAX);
        shmem_uint64_get(&copy, heap_word, 1, 1);
        whole("shmem_uint64_get", copy, UINT64_MAX);
        whole("shmem_uint32_g", shmem_uint32_g(&half, 1), UINT32_MAX);
        whole("shmem_uint16_g", shmem_uint16_g(&quarter, 1), UINT16_MAX);
        whole("shmem_uint64_atomic_fetch", shmem_uint64_atomic_fetch(heap_word, 1), UINT64_MAX);
    }
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    uint64_t *heap_word = need(sizeof *heap_word);
    *heap_word = 0;
    shmem_barrier_all();
    long start = clock_ms();
    if (me == 0) {
        while (clock_ms() - start < MS) write_chunk(heap_word);
        for (int pe = 1; pe < npes; pe++) shmem_uint64_atomic_set(&stop, 1, pe);
    } else {
        while (!shmem_uint64_test(&stop, SHMEM_CMP_EQ, 1)) read_chunk(heap_word);
    }
    shmem_barrier_all();
    end();
    return 0;
}
