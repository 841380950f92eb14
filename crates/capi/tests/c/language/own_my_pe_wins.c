// pes: 2
// A program has its own functions and variables with names that the library has but does not declare.
#include "check.h"

static long num_pes = 5;

int my_pe(void);
int my_pe(void)
{
    return 40 + shmem_my_pe();
}

static int globalexit(int status)
{
    return status + 1;
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK_EQ(my_pe(), 40 + me);
    CHECK_EQ(num_pes + globalexit(1), 7);
    shmem_barrier_all();
    end();
    return 0;
}
