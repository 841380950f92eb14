#include <shmemx.h>
#include <stdio.h>

static int word;

static uint64_t number_of_thread(void) {
    return 1; /* there is one */
}

int main(void) {
    shmemx_register_gettid(number_of_thread);
    shmem_init();
    int wrong = 0;
    if (shmem_my_pe() == 0) {
        shmemx_thread_register();
        shmemx_session_start(SHMEM_CTX_DEFAULT, SHMEM_SESSION_BUNDLE | SHMEM_SESSION_OP_PUT);
        shmem_int_p(&word, 5, 1);
        shmemx_session_stop(SHMEM_CTX_DEFAULT);
        shmemx_pe_quiet(1);
        int seen = shmem_int_g(&word, 1);
        printf("PE 0 reads back %d\n", seen);
        wrong = seen != 5;
        shmemx_thread_unregister();
    }
    shmem_finalize();
    return wrong;
}
