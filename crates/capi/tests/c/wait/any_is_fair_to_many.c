// pes: 1
// A program that calls any on several arrays in turn, or on one of them in every nth call, gets all elements of each: the start
// of a search must not depend on other calls.
#include "check.h"

enum { ARRAYS = 5, N = 6, CALLS = 200 * N };
static long words[ARRAYS][N];

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    for (int k = 0; k < ARRAYS; k++)
        for (int i = 0; i < N; i++) words[k][i] = 1;
    for (int arrays = 1; arrays <= ARRAYS; arrays++) {
        for (int n = 1; n <= N; n++) {
            int seen[ARRAYS][N] = {{0}};
            for (int call = 0; call < CALLS; call++)
                for (int k = 0; k < arrays; k++) {
                    size_t at = call % 2 ? shmem_long_test_any(words[k], n, NULL, SHMEM_CMP_EQ, 1)
                                         : shmem_long_wait_until_any(words[k], n, NULL, SHMEM_CMP_EQ, 1);
                    CHECK(at < (size_t)n);
                    seen[k][at]++;
                }
            for (int k = 0; k < arrays; k++)
                for (int i = 0; i < n; i++)
                    if (!seen[k][i]) FAIL("element %d of %d of array %d of %d never came in %d calls", i, n, k, arrays, CALLS);
        }
    }
    end();
    return 0;
}
