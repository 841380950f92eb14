// pes: 1 2 4
// flags: -static
// A static executable starts under the launcher, and its heap and statics communicate.
#include "check.h"

static long in_bss, in_data = 4;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    long *heap = need(1 << 20);
    CHECK(in_data == 4);
    shmem_long_p(&in_bss, me + 1, to);
    shmem_long_p(&heap[1000], me + 3, to);
    shmem_barrier_all();
    CHECK_EQ(in_bss, from + 1);
    CHECK_EQ(heap[1000], from + 3);
    (void)shmem_long_atomic_fetch_add(&in_data, 2, to);
    shmem_long_wait_until(&in_data, SHMEM_CMP_EQ, 6);
    end();
    return 0;
}
