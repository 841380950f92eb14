// pes: 1
// Repeated calls of an any routine over satisfied elements, with no masking by the caller, must sooner or later return each of
// them: always scanning from element 0 starves the rest.
#include "check.h"

enum { N = 9, CALLS = 100 * N };
static long words[N];

static void each_comes(const char *what, size_t (*next)(void))
{
    int seen[N] = {0};
    for (int i = 0; i < CALLS; i++) {
        size_t at = next();
        if (at >= N || at % 3 == 1) FAIL("%s returned %zu", what, at);
        seen[at] = 1;
    }
    for (int i = 0; i < N; i++)
        if (i % 3 != 1 && !seen[i]) FAIL("%s never returned element %d in %d calls", what, i, CALLS);
}

static const long wants[N] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
static size_t wait_any(void) { return shmem_long_wait_until_any(words, N, NULL, SHMEM_CMP_EQ, 1); }
static size_t test_any(void) { return shmem_long_test_any(words, N, NULL, SHMEM_CMP_EQ, 1); }
static size_t wait_vector(void) { return shmem_long_wait_until_any_vector(words, N, NULL, SHMEM_CMP_EQ, wants); }
static size_t test_vector(void) { return shmem_long_test_any_vector(words, N, NULL, SHMEM_CMP_EQ, wants); }

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int i = 0; i < N; i++) words[i] = i % 3 != 1;
    each_comes("shmem_long_wait_until_any", wait_any);
    each_comes("shmem_long_test_any", test_any);
    each_comes("shmem_long_wait_until_any_vector", wait_vector);
    each_comes("shmem_long_test_any_vector", test_vector);
    end();
    return 0;
}
