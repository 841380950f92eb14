// pes: 1 2
// The all, any and some families of wait_until and test, with one value and with a vector of values, in all 12 types: results,
// index lists, status masks that are read and never written.
#include "types.h"

enum { N = 6 };
static int me;

/* Words hold 0..5. With CMP_GE 3 the elements 3, 4, 5 satisfy; with the vector, element i is compared with wants[i]. */
static const int mask_of_four[N] = {0, 0, 0, 0, 1, 0};
static const int mask_of_low[N] = {1, 1, 1, 0, 0, 0};
static const int mask_of_all[N] = {1, 1, 1, 7, -1, 1};

static void check_list(const char *what, size_t count, const size_t *indices, size_t want, unsigned allowed)
{
    unsigned seen = 0;
    if (count != want) FAIL("%s returned %zu, expected %zu", what, count, want);
    for (size_t k = 0; k < count; k++) {
        if (indices[k] >= N || !(allowed >> indices[k] & 1)) FAIL("%s: index %zu does not satisfy or is masked", what, indices[k]);
        if (seen >> indices[k] & 1) FAIL("%s: index %zu is listed twice", what, indices[k]);
        seen |= 1u << indices[k];
    }
}

static void check_any(const char *what, size_t got, unsigned allowed)
{
    if (got >= N || !(allowed >> got & 1)) FAIL("%s returned %zu, which does not satisfy or is masked", what, got);
}

#define DEFINE(NAME, T)                                                                                                \
    static T words_##NAME[N];                                                                                          \
                                                                                                                       \
    static void one_value_##NAME(T *w)                                                                                 \
    {                                                                                                                  \
        size_t list[N];                                                                                                \
        CHECK_EQ(shmem_##NAME##_test_all(w, N, NULL, SHMEM_CMP_GE, 3), 0);                                             \
        CHECK_EQ(shmem_##NAME##_test_all(w, N, mask_of_low, SHMEM_CMP_GE, 3), 1);                                      \
        CHECK_EQ(shmem_##NAME##_test_all(w, N, NULL, SHMEM_CMP_LE, 5), 1);                                             \
        shmem_##NAME##_wait_until_all(w, N, mask_of_low, SHMEM_CMP_GE, 3);                                             \
        shmem_##NAME##_wait_until_all(w, N, NULL, SHMEM_CMP_LT, 6);                                                    \
        check_any("test_any " #NAME, shmem_##NAME##_test_any(w, N, NULL, SHMEM_CMP_GE, 3), 0x38);                      \
        check_any("test_any " #NAME, shmem_##NAME##_test_any(w, N, mask_of_four, SHMEM_CMP_GE, 4), 0x20);              \
        CHECK(shmem_##NAME##_test_any(w, N, mask_of_four, SHMEM_CMP_EQ, 4) == SIZE_MAX);                               \
        check_any("wait_until_any " #NAME, shmem_##NAME##_wait_until_any(w, N, NULL, SHMEM_CMP_EQ, 2), 0x04);          \
        check_any("wait_until_any " #NAME, shmem_##NAME##_wait_until_any(w, N, mask_of_low, SHMEM_CMP_NE, 3), 0x30);   \
        check_list("test_some " #NAME, shmem_##NAME##_test_some(w, N, list, NULL, SHMEM_CMP_GE, 3), list, 3, 0x38);    \
        check_list("test_some " #NAME, shmem_##NAME##_test_some(w, N, list, mask_of_four, SHMEM_CMP_GE, 3), list, 2, 0x28); \
        CHECK_EQ(shmem_##NAME##_test_some(w, N, list, NULL, SHMEM_CMP_GT, 5), 0);                                      \
        check_list("wait_until_some " #NAME, shmem_##NAME##_wait_until_some(w, N, list, NULL, SHMEM_CMP_LT, 2), list, 2, 0x03); \
        check_list("wait_until_some " #NAME, shmem_##NAME##_wait_until_some(w, N, list, mask_of_low, SHMEM_CMP_GE, 0), list, 3, 0x38); \
    }                                                                                                                  \
                                                                                                                       \
    static void vector_##NAME(T *w)                                                                                    \
    {                                                                                                                  \
        size_t list[N];                                                                                                \
        const T same[N] = {0, 1, 2, 3, 4, 5}, odd[N] = {9, 1, 9, 3, 9, 5};                                             \
        CHECK_EQ(shmem_##NAME##_test_all_vector(w, N, NULL, SHMEM_CMP_EQ, same), 1);                                   \
        CHECK_EQ(shmem_##NAME##_test_all_vector(w, N, NULL, SHMEM_CMP_EQ, odd), 0);                                    \
        shmem_##NAME##_wait_until_all_vector(w, N, NULL, SHMEM_CMP_EQ, same);                                          \
        shmem_##NAME##_wait_until_all_vector(w, N, NULL, SHMEM_CMP_LE, odd);                                           \
        check_any("test_any_vector " #NAME, shmem_##NAME##_test_any_vector(w, N, NULL, SHMEM_CMP_EQ, odd), 0x2a);      \
        check_any("test_any_vector " #NAME, shmem_##NAME##_test_any_vector(w, N, mask_of_low, SHMEM_CMP_EQ, odd), 0x28); \
        CHECK(shmem_##NAME##_test_any_vector(w, N, NULL, SHMEM_CMP_GT, odd) == SIZE_MAX);                              \
        check_any("wait_until_any_vector " #NAME, shmem_##NAME##_wait_until_any_vector(w, N, mask_of_low, SHMEM_CMP_LT, odd), 0x10); \
        check_list("test_some_vector " #NAME, shmem_##NAME##_test_some_vector(w, N, list, NULL, SHMEM_CMP_EQ, odd), list, 3, 0x2a); \
        CHECK_EQ(shmem_##NAME##_test_some_vector(w, N, list, NULL, SHMEM_CMP_GT, odd), 0);                             \
        check_list("wait_until_some_vector " #NAME, shmem_##NAME##_wait_until_some_vector(w, N, list, mask_of_low, SHMEM_CMP_EQ, odd), \
                   list, 2, 0x28);                                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    /* Nothing left to wait for: masked entirely, or no elements and NULL pointers. */                                 \
    static void empty_##NAME(T *w)                                                                                     \
    {                                                                                                                  \
        size_t list[N];                                                                                                \
        const T far[N] = {99, 99, 99, 99, 99, 99};                                                                     \
        const struct {                                                                                                 \
            T *w;                                                                                                      \
            size_t n;                                                                                                  \
            const int *mask;                                                                                           \
            const T *values;                                                                                           \
        } sets[] = {{w, N, mask_of_all, far}, {w, 0, NULL, far}, {NULL, 0, NULL, NULL}, {w, 0, mask_of_all, NULL}};    \
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {                                                      \
            T *e = sets[i].w;                                                                                          \
            size_t n = sets[i].n;                                                                                      \
            const int *m = sets[i].mask;                                                                               \
            const T *v = sets[i].values;                                                                               \
            shmem_##NAME##_wait_until_all(e, n, m, SHMEM_CMP_EQ, 99);                                                  \
            shmem_##NAME##_wait_until_all_vector(e, n, m, SHMEM_CMP_EQ, v);                                            \
            CHECK_EQ(shmem_##NAME##_test_all(e, n, m, SHMEM_CMP_EQ, 99), 1);                                           \
            CHECK_EQ(shmem_##NAME##_test_all_vector(e, n, m, SHMEM_CMP_EQ, v), 1);                                     \
            CHECK(shmem_##NAME##_wait_until_any(e, n, m, SHMEM_CMP_EQ, 99) == SIZE_MAX);                               \
            CHECK(shmem_##NAME##_wait_until_any_vector(e, n, m, SHMEM_CMP_EQ, v) == SIZE_MAX);                         \
            CHECK(shmem_##NAME##_test_any(e, n, m, SHMEM_CMP_NE, 99) == SIZE_MAX);                                     \
            CHECK(shmem_##NAME##_test_any_vector(e, n, m, SHMEM_CMP_NE, v) == SIZE_MAX);                               \
            CHECK_EQ(shmem_##NAME##_wait_until_some(e, n, list, m, SHMEM_CMP_EQ, 99), 0);                              \
            CHECK_EQ(shmem_##NAME##_wait_until_some_vector(e, n, list, m, SHMEM_CMP_EQ, v), 0);                        \
            CHECK_EQ(shmem_##NAME##_test_some(e, n, list, m, SHMEM_CMP_NE, 99), 0);                                    \
            CHECK_EQ(shmem_##NAME##_test_some_vector(e, n, list, m, SHMEM_CMP_NE, v), 0);                              \
        }                                                                                                              \
    }
STANDARD_TYPES(DEFINE)

/* Sets compare signed for signed types and unsigned for unsigned ones: 0xffff... is below zero only in the former. */
#define SIGNS(NAME, T)                                                                                                 \
    {                                                                                                                  \
        static T word = (T)-1;                                                                                         \
        const T one = 1;                                                                                               \
        size_t at;                                                                                                     \
        int is_signed = (T)-1 < (T)1;                                                                                  \
        CHECK_EQ(shmem_##NAME##_test_all(&word, 1, NULL, SHMEM_CMP_GT, 1), !is_signed);                                \
        CHECK_EQ(shmem_##NAME##_test_any(&word, 1, NULL, SHMEM_CMP_LT, 1), is_signed ? 0 : SIZE_MAX);                  \
        CHECK_EQ(shmem_##NAME##_test_some(&word, 1, &at, NULL, SHMEM_CMP_LE, 1), is_signed);                           \
        CHECK_EQ(shmem_##NAME##_test_all_vector(&word, 1, NULL, SHMEM_CMP_GE, &one), !is_signed);                      \
        CHECK_EQ(shmem_##NAME##_test_any_vector(&word, 1, NULL, SHMEM_CMP_GT, &one), is_signed ? SIZE_MAX : 0);        \
        CHECK_EQ(shmem_##NAME##_test_some_vector(&word, 1, &at, NULL, SHMEM_CMP_LT, &one), is_signed);                 \
    }

int main(void)
{
    int npes;
    begin(&me, &npes);
#define RUN(NAME, T)                                                                                                   \
    {                                                                                                                  \
        T *heap = need(N * sizeof(T));                                                                                 \
        for (int i = 0; i < N; i++) heap[i] = words_##NAME[i] = (T)i;                                                  \
        one_value_##NAME(heap), one_value_##NAME(words_##NAME);                                                        \
        vector_##NAME(heap), vector_##NAME(words_##NAME);                                                              \
        empty_##NAME(heap);                                                                                            \
        shmem_free(heap);                                                                                              \
    }
    STANDARD_TYPES(RUN)
    STANDARD_TYPES(SIGNS)
    end();
    return 0;
}
