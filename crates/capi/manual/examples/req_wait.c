#include <shmemx.h>
#include <stdio.h>

static double mine, sum;

int main(void) {
    shmem_init();
    mine = shmem_my_pe();
    shmemx_req_t request;
    int failed = shmemx_double_sum_reduce_nb(SHMEM_TEAM_WORLD, &sum, &mine, 1, &request);

    double work = 0;
    for (int i = 0; i < 100000 && !shmemx_req_test(&request); i++)
        work += 1.0 / (i + 1); /* something useful */

    shmemx_req_wait(&request); /* returns at once if a test has found it complete */
    if (shmem_my_pe() == 0)
        printf("the sum is %.1f\n", sum);
    int right = !failed && sum == 6 && request == SHMEMX_REQ_NULL && work >= 0;
    shmem_finalize();
    return right ? 0 : 1;
}
