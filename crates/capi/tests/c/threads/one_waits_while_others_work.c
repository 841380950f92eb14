// pes: 2 4
// One thread sits in a wait that ends only after its sister threads have communicated: a waiting thread holds nothing that the
// others need.
#include "team.h"

enum { ROUNDS = 500 };
static int me, npes;
static long done, work;

static void *body(void *arg)
{
    long t = (long)arg;
    int to = (me + 1) % npes;
    if (t == 0) {
        shmem_long_wait_until(&done, SHMEM_CMP_EQ, THREADS - 1);
        return NULL;
    }
    for (int i = 0; i < ROUNDS; i++) {
        (void)shmem_long_atomic_fetch_inc(&work, to);
        shmem_quiet();
    }
    shmem_long_atomic_inc(&done, to); // ends the wait of the neighbour's first thread
    shmem_quiet();
    return NULL;
}

int main(void)
{
    begin_threaded(&me, &npes);
    run_threads(body);
    shmem_barrier_all();
    CHECK_EQ(work, (long)ROUNDS * (THREADS - 1));
    end();
    return 0;
}
