// pes: 1 2 3 4 7
// malloc, align, calloc and malloc_with_hints: 16-byte alignment at every size, asked alignment up to 2 MiB, zeroed memory even
// where dirty blocks were freed, no overlap of live blocks, one offset from the heap's first block on all PEs.
#include "check.h"

enum { BLOCKS = 200 };
static int me, npes;
static ptrdiff_t offsets[BLOCKS];

/* Every PE compares its offsets with those of PE 0. */
static void same_offsets(const char *what, char *const *blocks, int count)
{
    static ptrdiff_t of_zero[BLOCKS];
    for (int i = 0; i < count; i++) offsets[i] = blocks[i] - blocks[0];
    shmem_barrier_all();
    shmem_ptrdiff_get(of_zero, offsets, (size_t)count, 0);
    for (int i = 0; i < count; i++) CHECK_NTH(what, i, offsets[i], of_zero[i]);
    shmem_barrier_all();
}

static void check_live(const char *what, char *const *blocks, const size_t *sizes, int count)
{
    for (int i = 0; i < count; i++) memset(blocks[i], i % 100 + 1, sizes[i]);
    for (int i = 0; i < count; i++)
        for (size_t b = 0; b < sizes[i]; b++)
            if (blocks[i][b] != i % 100 + 1) FAIL("%s: block %d of %zu bytes overlaps another one", what, i, sizes[i]);
}

static void plain_sizes(void)
{
    char *blocks[BLOCKS];
    size_t sizes[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        sizes[i] = i < 100 ? (size_t)i + 1 : (size_t)(i - 99) * 173;
        blocks[i] = i % 4 ? shmem_malloc(sizes[i]) : shmem_malloc_with_hints(sizes[i], i % 3);
        CHECK(blocks[i] != NULL);
        if ((uintptr_t)blocks[i] % 16) FAIL("block of %zu bytes at %p is not 16-byte aligned", sizes[i], (void *)blocks[i]);
    }
    check_live("shmem_malloc", blocks, sizes, BLOCKS);
    same_offsets("shmem_malloc", blocks, BLOCKS);
    for (int i = 0; i < BLOCKS; i += 2) shmem_free(blocks[i]);
    for (int i = 0; i < BLOCKS; i += 2) {
        sizes[i] = sizes[BLOCKS - 1 - i];
        blocks[i] = need(sizes[i]);
    }
    check_live("shmem_malloc after free", blocks, sizes, BLOCKS);
    same_offsets("shmem_malloc after free", blocks, BLOCKS);
    for (int i = BLOCKS - 1; i >= 0; i--) shmem_free(blocks[i]);
}

static void alignments(void)
{
    char *blocks[BLOCKS];
    size_t sizes[BLOCKS];
    int count = 0;
    for (size_t alignment = sizeof(void *); alignment <= 2 << 20; alignment *= 2)
        for (size_t size = 1; size < 100000; size *= 40, count++) {
            blocks[count] = shmem_align(alignment, sizes[count] = size);
            CHECK(blocks[count] != NULL);
            if ((uintptr_t)blocks[count] % alignment) FAIL("shmem_align(%zu, %zu) gave %p", alignment, size, (void *)blocks[count]);
        }
    check_live("shmem_align", blocks, sizes, count);
    same_offsets("shmem_align", blocks, count);
    for (int i = 0; i < count; i++) shmem_free(blocks[i]);
}

static void zeroed(void)
{
    for (int round = 0; round < 50; round++) {
        size_t count = 1 + (size_t)round * 97, size = 1 + (size_t)round % 9;
        char *dirty = need(count * size);
        memset(dirty, 0x5a, count * size);
        shmem_free(dirty);
        char *block = shmem_calloc(count, size);
        CHECK(block != NULL && (uintptr_t)block % 16 == 0);
        /* A peer may put as soon as its own call returns; it puts behind what this PE inspects. */
        for (size_t i = 0; i < count * size; i++)
            if (block[i] != 0) FAIL("shmem_calloc(%zu, %zu): byte %zu is %d", count, size, i, block[i]);
        shmem_free(block);
    }
}

/* Zeroing must be over before calloc returns anywhere: an early peer's put must survive. */
static void early_puts_survive(void)
{
    for (int round = 0; round < 100; round++) {
        int to = (me + 1) % npes;
        int *block = shmem_calloc(1 << 14, sizeof *block);
        CHECK(block != NULL);
        shmem_int_p(&block[(1 << 14) - 1], round + 1, to);
        shmem_barrier_all();
        CHECK_EQ(block[(1 << 14) - 1], round + 1);
        shmem_free(block);
    }
}

static void hints(void)
{
    static const long kinds[] = {0, SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE,
                                 SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE};
    for (int i = 0; i < 4; i++) {
        uint64_t *block = shmem_malloc_with_hints(64, kinds[i]);
        CHECK(block != NULL && (uintptr_t)block % 16 == 0);
        *block = 0;
        shmem_barrier_all();
        shmem_uint64_atomic_add(block, 2, (me + 1) % npes);
        shmem_signal_add(block, 3, (me + 1) % npes);
        shmem_barrier_all();
        CHECK_EQ(*block, 5);
        block = shmem_realloc(block, 1000);
        CHECK(block != NULL && *block == 5);
        shmem_free(block);
    }
}

int main(void)
{
    begin(&me, &npes);
    plain_sizes();
    alignments();
    zeroed();
    early_puts_survive();
    hints();
    end();
    return 0;
}
