#include <shmem.h>
#include <stdio.h>

static int word = 1;

int main(void) {
    shmem_init();
    shmem_set_cache_inv();
    shmem_clear_cache_line_inv(&word);
    shmem_udcflush();
    printf("%s\n", word == 1 ? "nothing happened" : "something happened");
    shmem_finalize();
    return word == 1 ? 0 : 1;
}
