// pes: 1
// exit: nonzero
// env: SHMEM_BACKTRACE=gdb
// says: SHMEM_BACKTRACE=gdb is a value of Sandia OpenSHMEM
// says: here it means SHMEM_BACKTRACE=1
// stderr: \bmain\b
// stderr: \b_start\b
// A value of another library is explained, and a backtrace is printed with the error.
#include "check.h"

int main(void)
{
    static long word;
    int me, npes;
    begin(&me, &npes);
    return (int)shmem_long_g(&word, npes);
}
