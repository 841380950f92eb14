/* A tool that defines shmem_ names and calls the library by pshmem_: it must see each of the program's calls once, and none of the
 * library's own. */
#include "check.h"
#include <pshmem.h>

static int calls_p, calls_barrier, calls_put, calls_malloc, calls_init;

void shmem_init(void)
{
    calls_init++;
    pshmem_init();
}

void shmem_long_p(long *dest, long value, int pe)
{
    calls_p++;
    pshmem_long_p(dest, value, pe);
}

void shmem_long_put(long *dest, const long *source, size_t nelems, int pe)
{
    calls_put++;
    pshmem_long_put(dest, source, nelems, pe);
}

void shmem_barrier_all(void)
{
    calls_barrier++;
    pshmem_barrier_all();
}

void *shmem_malloc(size_t size)
{
    calls_malloc++;
    return pshmem_malloc(size);
}

static long word;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    CHECK_EQ(calls_init, 1);
    shmem_long_p(&word, 5 + me, to);
    shmem_barrier_all();
    CHECK_EQ(word, 5 + from);
    CHECK(calls_p == 1 && calls_barrier == 1);
    long *block = need(64);
    /* These have barriers and puts inside; none may come through the names defined here. */
    long *zeroed = shmem_calloc(8, 8), *aligned = shmem_align(64, 64);
    CHECK(zeroed != NULL && aligned != NULL);
    shmem_sync_all();
    shmem_free(aligned), shmem_free(zeroed);
    block = shmem_realloc(block, 4096);
    shmem_long_put(block, &word, 1, to);
    shmem_barrier_all();
    CHECK_EQ(calls_p, 1);
    CHECK_EQ(calls_put, 1);
    CHECK_EQ(calls_barrier, 2);
    CHECK_EQ(calls_malloc, 1);
    end();
    return 0;
}
