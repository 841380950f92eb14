// pes: 2 4
// malloc(0), calloc with a zero, align(a, 0), realloc(NULL, 0) and free(NULL) return NULL and do not synchronise: one PE calls
// them alone while the others are elsewhere.
#include "check.h"

static long flag;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    if (me == 0) {
        for (int i = 0; i < 100; i++) {
            CHECK(shmem_malloc(0) == NULL);
            CHECK(shmem_calloc(0, 8) == NULL);
            CHECK(shmem_calloc(8, 0) == NULL);
            CHECK(shmem_calloc(0, SIZE_MAX) == NULL);
            CHECK(shmem_align(64, 0) == NULL);
            CHECK(shmem_malloc_with_hints(0, SHMEM_MALLOC_ATOMICS_REMOTE) == NULL);
            shmem_free(NULL);
        }
        for (int pe = 1; pe < npes; pe++) shmem_long_atomic_set(&flag, 1, pe);
    } else {
        /* A barrier inside any of those calls would never end: this PE only waits. */
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    }
    shmem_barrier_all();
    end();
    return 0;
}
