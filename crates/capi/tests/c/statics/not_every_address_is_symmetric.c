// pes: 1 2 4
// addr_accessible, ptr and pe_accessible return 1, 0, an address or NULL and never end the job, for any argument; for the PE
// itself ptr returns the same address. Thread-local data and data of a shared library are not symmetric.
#include "check.h"
#include <limits.h>

static long word;
static const long constant = 3;
static _Thread_local long of_thread;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    long local = 0, *from_malloc = malloc(64), *heap = need(64);
    static const int bad[] = {-1, INT_MIN, INT_MAX, -1000};
    (void)constant;
    for (int pe = 0; pe < npes; pe++) {
        CHECK_EQ(shmem_pe_accessible(pe), 1);
        CHECK_EQ(shmem_addr_accessible(heap, pe), 1);
        CHECK_EQ(shmem_addr_accessible(heap + 7, pe), 1);
        CHECK_EQ(shmem_addr_accessible(&word, pe), 1);
        CHECK_EQ(shmem_addr_accessible(&local, pe), 0);
        CHECK_EQ(shmem_addr_accessible(from_malloc, pe), 0);
        CHECK_EQ(shmem_addr_accessible(NULL, pe), 0);
        CHECK_EQ(shmem_addr_accessible(&of_thread, pe), 0);
        CHECK_EQ(shmem_addr_accessible(stdout, pe), 0); // an object of the C library
        CHECK(shmem_ptr(&local, pe) == NULL);
        CHECK(shmem_ptr(from_malloc, pe) == NULL);
        CHECK(shmem_ptr(NULL, pe) == NULL);
        CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, heap, pe) == shmem_ptr(heap, pe));
        CHECK(shmem_team_ptr(SHMEM_TEAM_INVALID, heap, pe) == NULL);
    }
    CHECK(shmem_ptr(heap, me) == heap && shmem_ptr(&word, me) == &word);
    CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, &word, me) == &word);
    CHECK_EQ(shmem_pe_accessible(npes), 0);
    CHECK(shmem_ptr(heap, npes) == NULL && shmem_team_ptr(SHMEM_TEAM_WORLD, heap, npes) == NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQ(shmem_pe_accessible(bad[i]), 0);
        CHECK_EQ(shmem_addr_accessible(heap, bad[i]), 0);
        CHECK(shmem_ptr(heap, bad[i]) == NULL);
        CHECK(shmem_ptr(&word, bad[i]) == NULL);
        CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, heap, bad[i]) == NULL);
    }
    free(from_malloc);
    end();
    return 0;
}
