// pes: 2 3
// env: SHMEM_SYMMETRIC_SIZE=32M
// Each routine that allocates ends with a barrier, whether it succeeds or not: data that a slow peer put before have arrived.
#include "check.h"

enum { MIB = 1 << 20, ROUNDS = 5 };
static int me, npes;
static long flag;
static void *block;

static void malloc_fits(void) { CHECK((block = shmem_malloc(16)) != NULL); }
static void hinted(void) { CHECK((block = shmem_malloc_with_hints(16, SHMEM_MALLOC_ATOMICS_REMOTE)) != NULL); }
static void calloc_fits(void) { CHECK((block = shmem_calloc(3, 8)) != NULL); }
static void aligned(void) { CHECK((block = shmem_align(4096, 8)) != NULL); }
static void realloc_nothing(void) { CHECK((block = shmem_realloc(NULL, 8)) != NULL); }
static void malloc_too_much(void) { CHECK(shmem_malloc((size_t)1 << 40) == NULL); }
static void calloc_overflows(void) { CHECK(shmem_calloc(SIZE_MAX / 2, 16) == NULL); }
static void aligned_too_widely(void) { CHECK(shmem_align((size_t)1 << 40, 8) == NULL); }
static void realloc_too_much(void) { CHECK(shmem_realloc(block, (size_t)1 << 40) == NULL); }

static const struct {
    const char *what;
    void (*act)(void);
} routines[] = {
    {"shmem_malloc", malloc_fits}, {"shmem_malloc_with_hints", hinted}, {"shmem_calloc", calloc_fits}, {"shmem_align", aligned},
    {"shmem_realloc of nothing", realloc_nothing}, {"shmem_malloc of too much", malloc_too_much},
    {"shmem_calloc that overflows", calloc_overflows}, {"shmem_align too wide for any heap", aligned_too_widely},
    {"shmem_realloc of too much", realloc_too_much},
};

int main(void)
{
    long round = 0;
    begin(&me, &npes);
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        for (int again = 0; again < ROUNDS; again++) {
            int slow = again % npes;
            block = routines[i].act == realloc_too_much ? shmem_malloc(16) : NULL;
            shmem_barrier_all();
            round++;
            if (me == slow) {
                usleep(20000);
                for (int pe = 0; pe < npes; pe++) shmem_long_put_nbi(&flag, &round, 1, pe);
            }
            routines[i].act();
            if (flag != round) FAIL("%s does not wait for what others have put", routines[i].what);
            shmem_free(block);
        }
    end();
    return 0;
}
