// pes: 1 2
// Each thread level can be asked for, is provided in full, and is what query_thread says.
#include "check.h"

int main(void)
{
    static const int levels[] = {SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED, SHMEM_THREAD_MULTIPLE};
    for (int i = 0; i < 4; i++) {
        int provided = -1, queried = -2;
        CHECK_EQ(shmem_init_thread(levels[i], &provided), 0);
        shmem_query_thread(&queried);
        CHECK_NTH("query_thread", i, queried, provided);
        if (provided < levels[i]) FAIL("asked for thread level %d, got %d", levels[i], provided);
        shmem_finalize();
    }
    return 0;
}
