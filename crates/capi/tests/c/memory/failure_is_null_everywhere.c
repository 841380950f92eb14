// pes: 1 2 4
// env: SHMEM_SYMMETRIC_SIZE=32M
// stderr: returns NULL on all PEs: no free block of this size.* \(failure_is_null_everywhere\.c:25\)
// A request beyond the maximum size of the heap, an overflowing calloc and a full heap return NULL on all PEs, the job
// continues, and freed memory can be allocated again, completely.
#include "check.h"

enum { MIB = 1 << 20, MOST = 64 };
static int me, npes;
static int answer, answers[8];

static void all_agree(const char *what, const void *block, int want_null)
{
    answer = block == NULL;
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++) answers[pe] = shmem_int_g(&answer, pe);
    for (int pe = 0; pe < npes; pe++)
        if (answers[pe] != want_null) FAIL("%s is %s on PE %d", what, answers[pe] ? "NULL" : "not NULL", pe);
    shmem_barrier_all();
}

int main(void)
{
    begin(&me, &npes);
    all_agree("shmem_malloc(33 MiB) of a 32 MiB heap", shmem_malloc(33 * MIB), 1);
    all_agree("shmem_malloc(1 TiB)", shmem_malloc((size_t)1 << 40), 1);
    all_agree("shmem_malloc(SIZE_MAX)", shmem_malloc(SIZE_MAX), 1);
    all_agree("shmem_align(2 MiB, SIZE_MAX - 100)", shmem_align(2 * MIB, SIZE_MAX - 100), 1);
    all_agree("shmem_malloc_with_hints(SIZE_MAX - 8)", shmem_malloc_with_hints(SIZE_MAX - 8, SHMEM_MALLOC_SIGNAL_REMOTE), 1);
    all_agree("shmem_calloc that overflows to 16", shmem_calloc((SIZE_MAX >> 4) + 2, 16), 1);
    all_agree("shmem_calloc(SIZE_MAX, SIZE_MAX)", shmem_calloc(SIZE_MAX, SIZE_MAX), 1);
    all_agree("shmem_align(48, 64), no power of two", shmem_align(48, 64), 1);
    for (int round = 0; round < 3; round++) {
        void *blocks[MOST];
        int count = 0;
        while (count < MOST && (blocks[count] = shmem_malloc(MIB)) != NULL) count++;
        if (count < 16 || count > 32) FAIL("a 32 MiB heap gave %d blocks of 1 MiB", count);
        all_agree("the last shmem_malloc(1 MiB)", NULL, 1);
        for (int i = 0; i < count; i++) memset(blocks[i], i + 1, MIB);
        for (int i = 0; i < count; i++) CHECK(*(char *)blocks[i] == i + 1);
        for (int i = 0; i < count; i++) shmem_free(blocks[i]);
        void *half = shmem_malloc(16 * MIB);
        all_agree("shmem_malloc(16 MiB) after everything was freed", half, 0);
        shmem_free(half);
    }
    end();
    return 0;
}
