// pes: 1 2 4
// realloc: NULL is malloc, zero frees, growing and shrinking keep the contents on every PE, blocks move alike on all PEs, and a
// failing call leaves the old block as it was.
#include "check.h"

static int me, npes;

static void check_contents(const char *what, const int *block, size_t count)
{
    for (size_t i = 0; i < count; i++) CHECK_NTH(what, i, block[i], me * 100000 + (int)i);
}

/* A peer sees the new block at the same symmetric place. */
static void check_reachable(int *block, size_t at)
{
    int to = (me + 1) % npes;
    shmem_barrier_all();
    CHECK_EQ(shmem_int_g(&block[at], to), to * 100000 + (int)at);
    shmem_barrier_all();
}

int main(void)
{
    begin(&me, &npes);
    int *block = shmem_realloc(NULL, 10 * sizeof(int)), *fence = NULL;
    size_t have = 10;
    CHECK(block != NULL && (uintptr_t)block % 16 == 0);
    for (size_t i = 0; i < have; i++) block[i] = me * 100000 + (int)i;
    static const size_t sizes[] = {11, 400, 50000, 49999, 30, 10, 70000, 5};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        fence = shmem_malloc(s * 40 + 8); // something in the way
        CHECK(fence != NULL);
        memset(fence, 0xff, s * 40 + 8);
        block = shmem_realloc(block, sizes[s] * sizeof(int));
        CHECK(block != NULL && (uintptr_t)block % 16 == 0);
        check_contents("contents after shmem_realloc", block, have < sizes[s] ? have : sizes[s]);
        for (size_t i = 0; i < sizes[s]; i++) block[i] = me * 100000 + (int)i;
        have = sizes[s];
        check_reachable(block, have - 1);
        if (s % 2) shmem_free(fence);
    }
    CHECK(shmem_realloc(block, SIZE_MAX / 2) == NULL);
    check_contents("block after a failed shmem_realloc", block, have);
    check_reachable(block, have - 1);
    CHECK(shmem_realloc(block, 0) == NULL);
    CHECK(shmem_realloc(NULL, 0) == NULL);
    end();
    return 0;
}
