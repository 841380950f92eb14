// A size of the device heap that is none is an error.
// pes: 1
// each: SHMEM_DEVICE_SYMMETRIC_SIZE = 12q | -5m | 50% | x
// exit: nonzero
// says: SHMEM_DEVICE_SYMMETRIC_SIZE
// flags: -ldl
#include "device.h"

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    FAIL("the size was taken");
}
