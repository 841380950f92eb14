#include <shmem.h>
#include <stdio.h>

static long results[2];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), wrong = 0;
    if (me != 0) {
        shmem_long_atomic_set(&results[me - 1], 100 * me, 0);
    } else {
        long wanted[2] = {100, 200};
        int had[2] = {0, 0};
        size_t indices[2], left = 2;
        while (left > 0) {
            size_t found = shmem_long_test_some_vector(results, 2, indices, had, SHMEM_CMP_EQ, wanted);
            for (size_t i = 0; i < found; i++)
                had[indices[i]] = 1;
            left -= found;
        }
        printf("both results are there\n");
        wrong = !shmem_long_test_all_vector(results, 2, NULL, SHMEM_CMP_EQ, wanted);
    }
    shmem_finalize();
    return wrong;
}
