#include <shmem.h>
#include <stdio.h>

static long urgent[4], later[4];
static int flag;

int main(void) {
    shmem_init();
    shmem_ctx_t ctx;
    if (shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx) != 0)
        ctx = SHMEM_CTX_DEFAULT;

    int wrong = 0;
    if (shmem_my_pe() == 0) {
        long numbers[4] = {1, 2, 3, 4};
        shmem_long_put_nbi(later, numbers, 4, 1);
        shmem_ctx_long_put_nbi(ctx, urgent, numbers, 4, 1);
        shmem_ctx_quiet(ctx); /* does not wait for the put to `later` */
        shmem_ctx_int_atomic_set(ctx, &flag, 1, 1);
        shmem_quiet(); /* `numbers` may be reused */
    } else {
        shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
        printf("PE 1 has %ld %ld %ld %ld\n", urgent[0], urgent[1], urgent[2], urgent[3]);
        wrong = urgent[0] != 1 || urgent[3] != 4;
    }
    if (ctx != SHMEM_CTX_DEFAULT)
        shmem_ctx_destroy(ctx);
    shmem_finalize();
    return wrong;
}
