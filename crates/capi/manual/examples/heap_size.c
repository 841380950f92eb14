#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>

static int fits(size_t size) {
    void *block = shmem_malloc(size);
    shmem_free(block);
    return block != NULL;
}

int main(void) {
    shmem_init();
    size_t size = shmemx_heap_size();
    int all = fits(size), twice = fits(2 * size);
    if (shmem_my_pe() == 0) {
        printf("the heap may grow to %zu bytes\n", size);
        printf("a block of that size fits: %s\n", all ? "yes" : "no");
        printf("a block of twice that size fits: %s\n", twice ? "yes" : "no");
    }
    shmem_finalize();
    return !all || twice;
}
