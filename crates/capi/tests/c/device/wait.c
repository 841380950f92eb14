// Waits and tests on words of the device heap: single ones and vectors, with a status on the host.
// pes: 1 2 3
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// flags: -ldl
#include "device.h"

enum { N = 9 };

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    long *flag = shmemg_calloc(1, sizeof(long));
    int *flags = shmemg_calloc(N, sizeof(int));
    CHECK(flag != NULL && flags != NULL);
    int to = (me + 1) % npes;
    CHECK_EQ(shmem_long_test(flag, SHMEM_CMP_NE, 0), 0);
    CHECK_EQ(shmem_long_test(flag, SHMEM_CMP_EQ, 0), 1);
    shmem_barrier_all();
    shmem_long_p(flag, -5, to);
    shmem_long_wait_until(flag, SHMEM_CMP_LT, 0);
    CHECK_EQ(shmem_long_g(flag, me), -5);

    int status[N] = {0}, values[N];
    size_t indices[N];
    status[2] = 1;
    CHECK_EQ(shmem_int_test_any(flags, N, status, SHMEM_CMP_GT, 0), SIZE_MAX);
    CHECK_EQ(shmem_int_test_all(flags, N, NULL, SHMEM_CMP_EQ, 0), 1);
    shmem_barrier_all();
    for (int i = 0; i < N; i++) shmem_int_p(&flags[i], i + 1, to);
    size_t seen = 0;
    for (int left = N - 1; left > 0; left--) {
        size_t index = shmem_int_wait_until_any(flags, N, status, SHMEM_CMP_GT, 0);
        CHECK(index < N && index != 2 && status[index] == 0);
        status[index] = 1;
        seen += index;
    }
    CHECK_EQ(seen, N * (N - 1) / 2 - 2);
    for (int i = 0; i < N; i++) values[i] = i + 1;
    shmem_int_wait_until_all_vector(flags, N, NULL, SHMEM_CMP_EQ, values);
    CHECK_EQ(shmem_int_wait_until_some(flags, N, indices, NULL, SHMEM_CMP_GE, 8), 2);
    CHECK_EQ(indices[0] + indices[1], 7 + 8);
    CHECK_EQ(shmem_int_test_some_vector(flags, N, indices, NULL, SHMEM_CMP_LT, values), 0);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
