// pes: 1 2
// The C11 generics of wait and test and of their sets, once for each distinct type, volatile ones too.
#include "check.h"

#define STANDARD(X) X(int) X(long) X(long long) X(unsigned int) X(unsigned long) X(unsigned long long)
#define WITH_SHORT(X) STANDARD(X) X(short) X(unsigned short)

#define TEST_ONE(T)                                                                                                    \
    {                                                                                                                  \
        static T word = (T)-1;                                                                                         \
        shmem_wait_until(&word, SHMEM_CMP_NE, 0);                                                                      \
        CHECK_EQ(shmem_test(&word, SHMEM_CMP_GT, 0), (T)-1 > 0);                                                       \
        CHECK_EQ(shmem_test(&word, SHMEM_CMP_EQ, (T)-1), 1);                                                           \
    }
#define TEST_SETS(T)                                                                                                   \
    {                                                                                                                  \
        static T words[3] = {4, 5, 6};                                                                                 \
        const T wants[3] = {4, 0, 6};                                                                                  \
        const int mask[3] = {0, 1, 0};                                                                                 \
        size_t list[3];                                                                                                \
        shmem_wait_until_all(words, 3, NULL, SHMEM_CMP_GE, 4);                                                         \
        CHECK_EQ(shmem_wait_until_any(words, 3, NULL, SHMEM_CMP_EQ, 5), 1);                                            \
        CHECK_EQ(shmem_wait_until_some(words, 3, list, NULL, SHMEM_CMP_GT, 4), 2);                                     \
        shmem_wait_until_all_vector(words, 3, mask, SHMEM_CMP_EQ, wants);                                              \
        CHECK_EQ(shmem_wait_until_any_vector(words, 3, NULL, SHMEM_CMP_NE, wants), 1);                                 \
        CHECK_EQ(shmem_wait_until_some_vector(words, 3, list, NULL, SHMEM_CMP_EQ, wants), 2);                          \
        CHECK_EQ(shmem_test_all(words, 3, NULL, SHMEM_CMP_LT, 6), 0);                                                  \
        CHECK_EQ(shmem_test_any(words, 3, mask, SHMEM_CMP_GT, 4), 2);                                                  \
        CHECK_EQ(shmem_test_some(words, 3, list, mask, SHMEM_CMP_LE, 6), 2);                                           \
        CHECK_EQ(shmem_test_all_vector(words, 3, mask, SHMEM_CMP_EQ, wants), 1);                                       \
        CHECK_EQ(shmem_test_any_vector(words, 3, mask, SHMEM_CMP_NE, wants), SIZE_MAX);                                \
        CHECK_EQ(shmem_test_some_vector(words, 3, list, NULL, SHMEM_CMP_NE, wants), 1);                                \
    }

/* Variables that programs declare volatile, as these routines required until 1.4: a warning, as with typed names, but no error. */
#pragma GCC diagnostic ignored "-Wdiscarded-qualifiers"
#define TEST_VOLATILE(T)                                                                                               \
    {                                                                                                                  \
        static volatile T word = (T)-1;                                                                                \
        shmem_wait_until(&word, SHMEM_CMP_NE, 0);                                                                      \
        CHECK_EQ(shmem_test(&word, SHMEM_CMP_EQ, (T)-1), 1);                                                           \
    }

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    WITH_SHORT(TEST_ONE)
    WITH_SHORT(TEST_VOLATILE)
    STANDARD(TEST_SETS)
    end();
    return 0;
}
