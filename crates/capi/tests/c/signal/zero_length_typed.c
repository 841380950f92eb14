// pes: 1 2 4
// A typed put_signal of no elements and NULL buffers moves nothing and still sends its signal, in every form.
#include "types.h"

static shmem_ctx_t ctx;
static uint64_t sig;

#define RUN(NAME, T)                                                                                                   \
    shmem_##NAME##_put_signal(NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to);                                           \
    shmem_ctx_##NAME##_put_signal(ctx, NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to);                                  \
    shmem_##NAME##_put_signal_nbi(NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to);                                       \
    shmem_ctx_##NAME##_put_signal_nbi(ctx, NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to);                              \
    sent += 4;

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    int to = (me + 1) % npes;
    uint64_t sent = 0;
    RMA_TYPES(RUN)
    CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, sent), sent);
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();
    CHECK_EQ(shmem_signal_fetch(&sig), sent);
    end();
    return 0;
}
