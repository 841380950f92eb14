/* Waits, tests and locks: on variables that no other PE could ever change, and with invalid comparisons. */

/* The single-variable and the set forms, with `at` wrong. */
#define WAIT(stem, what, ...)                                                                                          \
    BAD(ONE, stem##_stack, "shmem_" #stem, what, long *at = stack; __VA_ARGS__)                                        \
    BAD(ONE, stem##_malloc, "shmem_" #stem, what, long *at = calloc(8, 8); __VA_ARGS__)                                \
    BAD(ONE, stem##_null, "shmem_" #stem, what, long *at = NULL; __VA_ARGS__)                                          \
    BAD(ONE, stem##_unaligned, "shmem_" #stem, what, long *at = ODD(long, word); __VA_ARGS__)
#define COMPARED(stem, ...)                                                                                            \
    BAD(ONE, stem##_cmp_beyond, "shmem_" #stem, "cmp", long *at = word; int cmp = 77; __VA_ARGS__)                     \
    BAD(ONE, stem##_cmp_negative, "shmem_" #stem, "cmp", long *at = word; int cmp = -1; __VA_ARGS__)
/* `VARIABLE(long_test, "ivar", at, cmp, 5)`: all that can be wrong with a call of one variable or of a set. */
#define VARIABLE(stem, what, ...)                                                                                      \
    WAIT(stem, what, int cmp = SHMEM_CMP_EQ; (void)shmem_##stem(__VA_ARGS__))                                          \
    COMPARED(stem, (void)shmem_##stem(__VA_ARGS__))

VARIABLE(long_wait_until, "ivar", at, cmp, 5)
VARIABLE(long_test, "ivar", at, cmp, 5)
VARIABLE(signal_wait_until, "sig_addr", (uint64_t *)at, cmp, 5)
VARIABLE(long_wait_until_all, "ivars", at, 3, NULL, cmp, 5)
VARIABLE(long_wait_until_any, "ivars", at, 3, NULL, cmp, 5)
VARIABLE(long_wait_until_some, "ivars", at, 3, indices, NULL, cmp, 5)
VARIABLE(long_test_all, "ivars", at, 3, NULL, cmp, 5)
VARIABLE(long_test_any, "ivars", at, 3, NULL, cmp, 5)
VARIABLE(long_test_some, "ivars", at, 3, indices, NULL, cmp, 5)
VARIABLE(long_wait_until_all_vector, "ivars", at, 3, NULL, cmp, wants)
VARIABLE(long_wait_until_any_vector, "ivars", at, 3, NULL, cmp, wants)
VARIABLE(long_wait_until_some_vector, "ivars", at, 3, indices, NULL, cmp, wants)
VARIABLE(long_test_all_vector, "ivars", at, 3, NULL, cmp, wants)
VARIABLE(long_test_any_vector, "ivars", at, 3, NULL, cmp, wants)
VARIABLE(long_test_some_vector, "ivars", at, 3, indices, NULL, cmp, wants)
WAIT(long_wait, "ivar", shmem_long_wait(at, 0))
WAIT(signal_fetch, "sig_addr", (void)shmem_signal_fetch((uint64_t *)at))

BAD(ONE, wait_values_null, "shmem_long_wait_until_all_vector", "cmp_values",
    shmem_long_wait_until_all_vector(word, 3, NULL, SHMEM_CMP_EQ, NULL))
BAD(ONE, test_values_null, "shmem_long_test_any_vector", "cmp_values",
    (void)shmem_long_test_any_vector(word, 3, NULL, SHMEM_CMP_EQ, NULL))
BAD(ONE, wait_indices_null, "shmem_long_wait_until_some", "indices",
    (void)shmem_long_wait_until_some(word, 3, NULL, NULL, SHMEM_CMP_EQ, 0))
BAD(ONE, test_indices_null, "shmem_long_test_some", "indices",
    (void)shmem_long_test_some(word, 3, NULL, NULL, SHMEM_CMP_EQ, 0))
BAD(ONE, wait_set_beyond_heap, "shmem_long_wait_until_all", "ivars",
    shmem_long_wait_until_all(heap, (size_t)1 << 40, NULL, SHMEM_CMP_EQ, 5))

/* Nothing to wait for. */
BAD(FINE, no_variables, "", "", shmem_long_wait_until_all(NULL, 0, NULL, SHMEM_CMP_EQ, 5);
    CHECK(shmem_long_wait_until_any(NULL, 0, NULL, SHMEM_CMP_EQ, 5) == SIZE_MAX);
    CHECK(shmem_long_test_some(NULL, 0, NULL, NULL, SHMEM_CMP_EQ, 5) == 0))
BAD(FINE, all_excluded, "", "", shmem_long_wait_until_all(word, 8, excluded, SHMEM_CMP_EQ, 5);
    CHECK(shmem_long_wait_until_some(word, 8, indices, excluded, SHMEM_CMP_EQ, 5) == 0))

#define LOCK(stem)                                                                                                     \
    BAD(ONE, stem##_stack, "shmem_" #stem, "lock", (void)shmem_##stem(stack))                                          \
    BAD(ONE, stem##_malloc, "shmem_" #stem, "lock", (void)shmem_##stem(calloc(8, 8)))                                  \
    BAD(ONE, stem##_null, "shmem_" #stem, "lock", (void)shmem_##stem(NULL))                                            \
    BAD(ONE, stem##_unaligned, "shmem_" #stem, "lock", (void)shmem_##stem(ODD(long, word)))
LOCK(set_lock)
LOCK(test_lock)
LOCK(clear_lock)
BAD(ONE, clear_lock_free, "shmem_clear_lock", "lock", shmem_clear_lock(&lock))
BAD(ALL, clear_lock_of_another, "shmem_clear_lock", "lock", if (me == 0) shmem_set_lock(&lock); shmem_barrier_all();
    if (me == 1) shmem_clear_lock(&lock))

#undef WAIT
#undef COMPARED
#undef VARIABLE
#undef LOCK
