// pes: 1 2 3
// A finalize after the last one returns and does nothing, and the library can be initialised again.
#include "check.h"

int main(void)
{
    int me, npes;
    for (int life = 0; life < 2; life++) {
        begin(&me, &npes);
        end();
        shmem_finalize();
        shmem_finalize();
        int initialized = 1;
        shmem_query_initialized(&initialized);
        CHECK_EQ(initialized, 0);
    }
    return 0;
}
