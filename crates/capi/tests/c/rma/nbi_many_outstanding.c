// pes: 2 4 7
// Thousands of non-blocking puts and gets in flight at once are all done after one quiet; nothing is dropped.
#include "check.h"

enum { MANY = 20000 };

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int right = (me + 1) % npes, left = (me + npes - 1) % npes;
    int *dest = need(MANY * sizeof(int)), *origin = need(MANY * sizeof(int));
    int *values = malloc(MANY * sizeof(int)), *back = calloc(MANY, sizeof(int));
    for (int i = 0; i < MANY; i++) values[i] = me * MANY + i, origin[i] = -(me * MANY + i), dest[i] = 0;
    shmem_barrier_all();
    for (int i = 0; i < MANY; i++) {
        shmem_int_put_nbi(&dest[i], &values[i], 1, right);
        shmem_int_get_nbi(&back[i], &origin[i], 1, right);
    }
    shmem_quiet();
    for (int i = 0; i < MANY; i++) CHECK_NTH("shmem_int_get_nbi", i, back[i], -(right * MANY + i));
    shmem_sync_all();
    for (int i = 0; i < MANY; i++) CHECK_NTH("shmem_int_put_nbi", i, dest[i], left * MANY + i);
    shmem_barrier_all();
    free(values);
    free(back);
    end();
    return 0;
}
