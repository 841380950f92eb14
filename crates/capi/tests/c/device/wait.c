// Waits and tests of words in every kind of memory that the specification allows: single ones and vectors, with a status on the host.
// pes: 1 2 4
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// flags: -ldl
#include "device.h"

enum { N = 9 };

static long flag_in_statics;
static int flags_in_statics[N], me, npes, to;

static void single(long *flag)
{
    CHECK_EQ(shmem_long_test(flag, SHMEM_CMP_NE, 0), 0);
    CHECK_EQ(shmem_long_test(flag, SHMEM_CMP_EQ, 0), 1);
    shmem_barrier_all();
    shmem_long_p(flag, -5, to);
    shmem_long_wait_until(flag, SHMEM_CMP_LT, 0);
    CHECK_EQ(shmem_long_g(flag, me), -5);
    shmem_barrier_all();
    shmem_long_p(flag, 6, to);
    shmem_long_wait(flag, -5);
    CHECK_EQ(shmem_long_test(flag, SHMEM_CMP_EQ, 6), 1);
    shmem_barrier_all();
}

static void vectors(int *flags)
{
    int status[N] = {0}, zeros[N] = {0}, values[N];
    size_t indices[N];
    status[2] = 1;
    for (int i = 0; i < N; i++) values[i] = i + 1;
    CHECK_EQ(shmem_int_test_any(flags, N, status, SHMEM_CMP_GT, 0), SIZE_MAX);
    CHECK_EQ(shmem_int_test_any_vector(flags, N, status, SHMEM_CMP_NE, zeros), SIZE_MAX);
    CHECK_EQ(shmem_int_test_all(flags, N, NULL, SHMEM_CMP_EQ, 0), 1);
    CHECK_EQ(shmem_int_test_all_vector(flags, N, NULL, SHMEM_CMP_EQ, values), 0);
    CHECK_EQ(shmem_int_test_some(flags, N, indices, status, SHMEM_CMP_EQ, 0), N - 1);
    shmem_barrier_all();
    for (int i = 0; i < N; i++) shmem_int_p(&flags[i], i + 1, to);
    size_t seen = 0;
    for (int left = N - 1; left > 0; left--) {
        size_t index = left % 2 ? shmem_int_wait_until_any(flags, N, status, SHMEM_CMP_GT, 0)
                                : shmem_int_wait_until_any_vector(flags, N, status, SHMEM_CMP_NE, zeros);
        CHECK(index < N && index != 2 && status[index] == 0);
        status[index] = 1;
        seen += index;
    }
    CHECK_EQ(seen, N * (N - 1) / 2 - 2);
    shmem_int_wait_until_all(flags, N, NULL, SHMEM_CMP_GT, 0);
    shmem_int_wait_until_all_vector(flags, N, NULL, SHMEM_CMP_EQ, values);
    CHECK_EQ(shmem_int_wait_until_some(flags, N, indices, NULL, SHMEM_CMP_GE, 8), 2);
    CHECK_EQ(indices[0] + indices[1], 7 + 8);
    CHECK_EQ(shmem_int_wait_until_some_vector(flags, N, indices, NULL, SHMEM_CMP_EQ, values), N);
    CHECK_EQ(shmem_int_test_some_vector(flags, N, indices, NULL, SHMEM_CMP_LT, values), 0);
    shmem_barrier_all();
}

int main(void)
{
    begin_device(&me, &npes);
    to = (me + 1) % npes;
    struct place single_words[SYMMETRIC], several[SYMMETRIC];
    make_places(single_words, SYMMETRIC, &flag_in_statics, sizeof flag_in_statics);
    make_places(several, SYMMETRIC, flags_in_statics, sizeof flags_in_statics);
    shmem_barrier_all();
    for (int place = 0; place < SYMMETRIC; place++) {
        single(single_words[place].at);
        vectors(several[place].at);
    }
    shmem_finalize();
    return 0;
}
