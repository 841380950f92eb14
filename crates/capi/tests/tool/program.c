/* A program with known counts, for the test of the profiling tool. */
#include <shmemx.h>

static int ints[8], flag;
static long word, lock;
static double values[4], sums[4];
static uint64_t sig;
static char bytes[100];
static int spare[8];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), next = (me + 1) % npes;
    int local[8] = {0};
    uint64_t ctx_source = 0;
    shmem_ctx_t ctx;
    if (shmem_ctx_create(0, &ctx) != 0)
        return 1;

    shmem_int_put(ints, local, 3, next);              /* put 12 */
    shmem_put64(&word, &ctx_source, 1, next);         /* put 8 */
    shmem_ctx_putmem(ctx, bytes, local, 5, next);     /* put 5 */
    shmem_get(local, ints, 2, next);                  /* get 8, by the generic name */
    shmem_int_p(&ints[7], 1, next);                   /* p 4 */
    (void)shmem_double_g(&values[0], next);           /* g 8 */
    shmem_int_iput(ints, local, 2, 1, 3, next);       /* iput 12 */
    shmem_ibget32(local, ints, 4, 4, 2, 2, next);     /* ibget 16 */
    shmem_ctx_int_put_nbi(ctx, ints, local, 4, next); /* put_nbi 16 */
    shmemx_putmem_nb(bytes, local, 10, next);         /* put_nbi 10 */
    shmem_ctx_quiet(ctx);
    shmem_pcontrol(0);
    shmem_int_p(&ints[6], 1, next); /* not counted */
    shmem_pcontrol(1);
    if (me == 0)
        shmem_putmem(bytes, local, 1, next); /* put 1, by one PE */
    shmem_quiet();
    shmem_barrier_all();

    shmem_int_put_signal(ints, local, 2, &sig, 1, SHMEM_SIGNAL_SET, next); /* put_signal 16 */
    shmem_signal_wait_until(&sig, SHMEM_CMP_GE, 1); /* the other may have added to it */
    shmem_signal_add(&sig, 1, next);                              /* signal_add 8 */
    (void)shmem_long_atomic_fetch_add(&word, 1, next);            /* atomic_fetch_add 8 */
    shmem_atomic_inc(&flag, next);                                /* atomic_inc 4, by the generic name */
    shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    shmem_fence();

    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, sums, values, 4);   /* sum_reduce 32 */
    shmem_broadcastmem(SHMEM_TEAM_WORLD, bytes, bytes, 7, 0);     /* broadcast 7 */
    shmem_int_alltoall(SHMEM_TEAM_WORLD, ints, spare, 1);  /* alltoall 4 for each member */
    shmemx_req_t request;
    shmemx_sync_all_nb(&request);
    shmemx_req_wait(&request);
    shmem_sync_all();
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
