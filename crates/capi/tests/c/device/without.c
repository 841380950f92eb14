// Device memory in a program that has not requested it is refused by name; in a copy that has begun, the report of the crash names it.
// pes: 2
// each: CASE = dest | source | crash
// exit: nonzero
// says: device memory
// flags: -ldl
#include "device.h"

int main(void)
{
    open_driver();
    int me, npes;
    begin(&me, &npes);
    const char *wanted = getenv("CASE");
    int to = (me + 1) % npes;
    long *outside = device_alloc(64 * sizeof(long)), *host = need(64 * sizeof(long)), here[4];
    if (wanted == NULL) return 0;
    if (strcmp(wanted, "dest") == 0) shmem_long_put(outside, here, 4, to);
    if (strcmp(wanted, "source") == 0) shmem_long_get(here, outside, 4, to);
    if (strcmp(wanted, "crash") == 0) shmem_long_put(host, outside, 4, to);
    FAIL("%s was not refused", wanted);
}
