// pes: 2 4 7
// A waiting PE collects one word from each peer with any, some and all, plain and vector, and masks the words it has seen:
// every index is returned exactly once and none is lost.
#include "types.h"

static int me, npes;

enum how { ANY, ANY_VECTOR, SOME, SOME_VECTOR, TEST_ANY, TEST_ANY_VECTOR, TEST_SOME, TEST_SOME_VECTOR, ALL, ALL_VECTOR, HOWS };

#define DEFINE(NAME, T)                                                                                                \
    static T words_##NAME[PES_MAX];                                                                                    \
                                                                                                                       \
    /* Indices newly satisfied, at least one unless it is a test. */                                                   \
    static size_t next_##NAME(enum how how, size_t *list, const int *seen, const T *wants)                             \
    {                                                                                                                  \
        T *w = words_##NAME;                                                                                           \
        size_t n = (size_t)npes;                                                                                       \
        switch (how) {                                                                                                 \
        case ANY: list[0] = shmem_##NAME##_wait_until_any(w, n, seen, SHMEM_CMP_NE, 0); return 1;                      \
        case ANY_VECTOR: list[0] = shmem_##NAME##_wait_until_any_vector(w, n, seen, SHMEM_CMP_EQ, wants); return 1;    \
        case SOME: return shmem_##NAME##_wait_until_some(w, n, list, seen, SHMEM_CMP_NE, 0);                           \
        case SOME_VECTOR: return shmem_##NAME##_wait_until_some_vector(w, n, list, seen, SHMEM_CMP_EQ, wants);         \
        case TEST_ANY: list[0] = shmem_##NAME##_test_any(w, n, seen, SHMEM_CMP_NE, 0); return list[0] != SIZE_MAX;     \
        case TEST_ANY_VECTOR:                                                                                          \
            list[0] = shmem_##NAME##_test_any_vector(w, n, seen, SHMEM_CMP_EQ, wants);                                 \
            return list[0] != SIZE_MAX;                                                                                \
        case TEST_SOME: return shmem_##NAME##_test_some(w, n, list, seen, SHMEM_CMP_NE, 0);                            \
        case TEST_SOME_VECTOR: return shmem_##NAME##_test_some_vector(w, n, list, seen, SHMEM_CMP_EQ, wants);          \
        case ALL: shmem_##NAME##_wait_until_all(w, n, seen, SHMEM_CMP_NE, 0); break;                                   \
        default: shmem_##NAME##_wait_until_all_vector(w, n, seen, SHMEM_CMP_EQ, wants);                                \
        }                                                                                                              \
        size_t count = 0;                                                                                              \
        for (size_t i = 0; i < n; i++)                                                                                 \
            if (!seen[i]) list[count++] = i;                                                                           \
        return count;                                                                                                  \
    }                                                                                                                  \
                                                                                                                       \
    static void collect_##NAME(enum how how)                                                                           \
    {                                                                                                                  \
        int seen[PES_MAX] = {0};                                                                                       \
        size_t list[PES_MAX];                                                                                          \
        T wants[PES_MAX];                                                                                              \
        for (int pe = 0; pe < npes; pe++) wants[pe] = (T)(pe + 10), words_##NAME[pe] = 0;                              \
        shmem_barrier_all();                                                                                           \
        for (int pe = 0; pe < npes; pe++) shmem_##NAME##_atomic_set(&words_##NAME[me], (T)(me + 10), pe);              \
        for (int left = npes; left > 0;) {                                                                             \
            size_t count = next_##NAME(how, list, seen, wants);                                                        \
            for (size_t k = 0; k < count; k++) {                                                                       \
                if (list[k] >= (size_t)npes || seen[list[k]]) FAIL("how %d: index %zu came twice or is none", how, list[k]); \
                CHECK_NTH(#NAME, list[k], words_##NAME[list[k]], wants[list[k]]);                                      \
                seen[list[k]] = 1;                                                                                     \
                left--;                                                                                                \
            }                                                                                                          \
        }                                                                                                              \
        shmem_barrier_all();                                                                                           \
    }
STANDARD_TYPES(DEFINE)

int main(void)
{
    begin(&me, &npes);
    for (int how = 0; how < HOWS; how++) {
#define RUN(NAME, T) collect_##NAME((enum how)how);
        STANDARD_TYPES(RUN)
    }
    end();
    return 0;
}
