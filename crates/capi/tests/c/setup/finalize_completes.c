// pes: 2 4 7
// Finalize completes operations in progress on the default context, without any quiet by the program.
#include "check.h"

enum { LEN = 1 << 16 };
static int dest[LEN], source[LEN], added;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    for (int i = 0; i < LEN; i++) source[i] = me * LEN + i;
    shmem_int_put_nbi(dest, source, LEN, to);
    for (int i = 0; i < 1000; i++) shmem_int_atomic_add(&added, 1, to);
    end();
    for (int i = 0; i < LEN; i++) CHECK_NTH("put_nbi before finalize", i, dest[i], from * LEN + i);
    CHECK_EQ(added, 1000);
    return 0;
}
