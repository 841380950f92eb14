// pes: 2 4
// Thousands of random allocations, reallocations and frees, the same on all PEs: addresses stay symmetric, contents stay put,
// nothing overlaps.
#include "check.h"

enum { SLOTS = 64, STEPS = 3000 };
static unsigned char *block[SLOTS];
static size_t size[SLOTS];
static ptrdiff_t offset, offset_of_zero;
static unsigned state = 4242;

static unsigned next_random(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void check_slot(int s, int me)
{
    for (size_t i = 0; i < size[s]; i++)
        if (block[s][i] != (unsigned char)(s + me * 3 + 1)) FAIL("slot %d of %zu bytes: byte %zu was overwritten", s, size[s], i);
}

static void step(int me, unsigned char *first)
{
    int s = (int)(next_random() % SLOTS);
    size_t bytes = 1 + next_random() % (next_random() % 8 ? 500 : 60000);
    unsigned kind = next_random() % 4;
    if (block[s] == NULL) {
        block[s] = kind == 0 ? shmem_align((size_t)8 << next_random() % 8, bytes) : kind == 1 ? shmem_calloc(bytes, 1) : shmem_malloc(bytes);
    } else {
        check_slot(s, me);
        if (kind < 2) {
            shmem_free(block[s]);
            block[s] = NULL;
            return;
        }
        block[s] = shmem_realloc(block[s], bytes);
        for (size_t i = 0; i < size[s] && i < bytes; i++) CHECK(block[s][i] == (unsigned char)(s + me * 3 + 1));
    }
    CHECK(block[s] != NULL);
    size[s] = bytes;
    memset(block[s], s + me * 3 + 1, bytes);
    offset = block[s] - first;
    shmem_sync_all();
    offset_of_zero = shmem_ptrdiff_g(&offset, 0);
    CHECK_EQ(offset, offset_of_zero);
    shmem_sync_all();
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    unsigned char *first = need(16);
    for (int i = 0; i < STEPS; i++) step(me, first);
    for (int s = 0; s < SLOTS; s++)
        if (block[s] != NULL) check_slot(s, me), shmem_free(block[s]);
    end();
    return 0;
}
