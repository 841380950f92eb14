// pes: 2 4 8
// The forms of the maximum as its manual has them: the maximum over all even PEs with arrays that are initialised statically,
// and one call of three elements against three calls of one with two sets of work arrays in turn. The old header and names.
#include <mpp/shmem.h>
#include <stdio.h>
#include <stdlib.h>

#define FILL4 _SHMEM_SYNC_VALUE, _SHMEM_SYNC_VALUE, _SHMEM_SYNC_VALUE, _SHMEM_SYNC_VALUE
#define FILL16 FILL4, FILL4, FILL4, FILL4
static long psync1[_SHMEM_REDUCE_SYNC_SIZE] = {FILL16, FILL16, FILL16, FILL16}, psync2[_SHMEM_REDUCE_SYNC_SIZE];
static int pwrk[3 / 2 + 1 + _SHMEM_REDUCE_MIN_WRKDATA_SIZE], pwrk1[1 + _SHMEM_REDUCE_MIN_WRKDATA_SIZE],
    pwrk2[1 + _SHMEM_REDUCE_MIN_WRKDATA_SIZE], target[3], source[3], apart[3];
static double foo, foomax, dwrk[1 + _SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void expect(int right, const char *what)
{
    if (right) return;
    fprintf(stderr, "PE %d: %s\n", _my_pe(), what);
    exit(1);
}

int main(void)
{
    start_pes(0);
    int me = _my_pe(), npes = _num_pes();
    for (int i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; i++) psync1[i] = psync2[i] = _SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    foo = 1.5 * me;
    if (me % 2 == 0) {
        shmem_double_max_to_all(&foomax, &foo, 1, 0, 1, npes / 2, dwrk, psync1);
        expect(foomax == 1.5 * (npes / 2 - 1) * 2, "the maximum of the even PEs");
    } else {
        expect(foomax == 0, "an odd PE takes no part");
    }
    shmem_barrier_all();
    for (int i = 0; i < 3; i++) source[i] = (me + i * 3) % npes - i;
    shmem_int_max_to_all(target, source, 3, 0, 0, npes, pwrk, psync1);
    shmem_barrier_all();
    shmem_int_max_to_all(&apart[0], &source[0], 1, 0, 0, npes, pwrk1, psync1);
    shmem_int_max_to_all(&apart[1], &source[1], 1, 0, 0, npes, pwrk2, psync2);
    shmem_int_max_to_all(&apart[2], &source[2], 1, 0, 0, npes, pwrk1, psync1);
    for (int i = 0; i < 3; i++) expect(target[i] == npes - 1 - i && apart[i] == target[i], "three in one, and one by one");
    return 0;
}
