// pes: 1 2
// exit: nonzero
// env: SHMEM_SYMMETRIC_SIZE=abc
// says: SHMEM_SYMMETRIC_SIZE
// says: \babc\b
// says: (?i)\b(k|kib|kb)\b|[^a-z]k[^a-z]|\[kmgt\]
// An invalid heap size: the message names the variable, its value and the valid values.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    end();
    return 0;
}
