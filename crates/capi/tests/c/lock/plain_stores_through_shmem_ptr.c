// pes: 2 4
// needs: mapped
// Stores by shmem_ptr inside the lock are visible to the next owner: set_lock acquires, clear_lock releases plain memory too.
#include "check.h"

enum { ROUNDS = 3000 };
static long lock;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    long *count = need(2 * sizeof *count);
    count[0] = count[1] = 0;
    shmem_barrier_all();
    long *shared = shmem_ptr(count, 0);
    if (shared == NULL) {
        printf("skipped: shmem_ptr to PE 0 is NULL, so there is no shared memory to store to\n");
    } else {
        for (int i = 0; i < ROUNDS; i++) {
            shmem_set_lock(&lock);
            if (shared[0] != shared[1]) FAIL("inside the lock: %ld and %ld", shared[0], shared[1]);
            shared[0]++;
            shared[1]++;
            shmem_clear_lock(&lock);
        }
        shmem_barrier_all();
        CHECK_EQ(shared[0], (long)ROUNDS * npes);
    }
    shmem_barrier_all();
    end();
    return 0;
}
