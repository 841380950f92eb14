// pes: 1 2 4
// exit: 7
// A PE that leaves with a nonzero status makes it the job's status.
#include "check.h"

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int status = me == npes - 1 ? 7 : 0;
    end();
    return status;
}
