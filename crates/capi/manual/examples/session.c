#include <shmem.h>
#include <stdio.h>

enum { UPDATES = 1000 };

static long table[UPDATES];

int main(void) {
    shmem_init();
    if (shmem_my_pe() == 0) {
        shmem_ctx_session_config_t config = {.total_ops = UPDATES};
        shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
        for (int i = 0; i < UPDATES; i++)
            shmem_long_p(&table[i], 1, 1);
        shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
    }
    shmem_barrier_all();
    long count = 0;
    for (int i = 0; i < UPDATES; i++)
        count += table[i];
    int wrong = 0;
    if (shmem_my_pe() == 1) {
        printf("PE 1 counted %ld updates\n", count);
        wrong = count != UPDATES;
    }
    shmem_finalize();
    return wrong;
}
