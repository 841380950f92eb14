// pes: 2 4
// exit: 137
// line: PE 0 printed before it was killed
// line: PE 1 printed before it was killed
// What a PE printed is not lost with it, nor kept back until it ends: lines go out one by one. A buffer of the program's own stays.
#include "check.h"
#include <signal.h>
#include <stdio_ext.h>

static char buffer[3000];

int main(void)
{
    /* PEs 2 and 3 choose a buffer themselves; PE 1 prints before it calls the library. */
    int own = getenv("FERRITE_PE")[0] - '0';
    if (own > 1) setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    if (own == 1) printf("PE %d", own);
    int me, npes;
    begin(&me, &npes);
    CHECK_EQ(__flbf(stdout) != 0, me < 2);
    if (me == 1) printf(" printed before it was killed\n");
    else printf("PE %d printed before it was killed\n", me);
    shmem_barrier_all();
    if (me == 0) {
        usleep(20000); // the others are on their way into the barrier
        raise(SIGKILL);
    }
    shmem_barrier_all();
    end();
    return 0;
}
