#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 4, LENGTH = 32 };

static char lines[LINES][LENGTH];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), wrong = 0;
    if (me == 0) {
        char buffer[LENGTH];
        for (int i = 0; i < LINES; i++) {
            snprintf(buffer, sizeof buffer, "line %d", i + 1);
            shmem_char_put_nbi(lines[i], buffer, sizeof buffer, 1);
            shmemx_local_complete(); /* the next line may overwrite the buffer */
        }
        shmem_quiet();
    }
    shmem_barrier_all();
    if (me == 1)
        for (int i = 0; i < LINES; i++) {
            puts(lines[i]);
            wrong |= lines[i][5] != '1' + i;
        }
    shmem_finalize();
    return wrong;
}
