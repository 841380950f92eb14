/* A flag after its data, with a fence in between and without one, for two PEs under --check=order.
 *
 *     order fence | order none
 *
 * PE 1 prints the rounds in which it has seen the flag and old data, which may happen only without a fence. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 16 };

static int words[ROUNDS], row[ROUNDS][8];
static uint64_t flags[ROUNDS];

/* Data sent by several kinds of routines, and flags set by several. */
static void send(int round, int fences)
{
    const int ones[4] = {1, 1, 1, 1};
    if (round % 2)
        shmem_int_iput(row[round], ones, 2, 1, 4, 1);
    else
        shmem_int_put(row[round], ones, 4, 1);
    shmem_int_p(&words[round], 1, 1);
    if (fences)
        shmem_fence();
    switch (round % 3) {
    case 0:
        shmem_uint64_atomic_set(&flags[round], 1, 1);
        break;
    case 1:
        shmem_signal_set(&flags[round], 1, 1);
        break;
    default:
        shmem_putmem_signal(NULL, NULL, 0, &flags[round], 1, SHMEM_SIGNAL_ADD, 1);
    }
}

int main(int argc, char **argv)
{
    const int fences = argc > 1 && !strcmp(argv[1], "fence");
    int old = 0;
    shmem_init();
    const int me = shmem_my_pe();
    for (int round = 0; round < ROUNDS; round++) {
        if (me == 0)
            send(round, fences);
        if (me == 1) {
            shmem_uint64_wait_until(&flags[round], SHMEM_CMP_EQ, 1);
            if (row[round][0] != 1 || words[round] != 1) {
                printf("%d ", round);
                old++;
            }
        }
        shmem_barrier_all();
        /* All puts have arrived after a barrier. */
        if (me == 1 && (row[round][0] != 1 || words[round] != 1))
            printf("lost ");
    }
    if (me == 1)
        printf("%d rounds\n", old);
    shmem_finalize();
    return 0;
}
