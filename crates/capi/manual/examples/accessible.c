#include <shmem.h>
#include <stdio.h>

static int global;

int main(void) {
    shmem_init();
    int *block = shmem_malloc(sizeof *block);
    int local = 0;
    int found[] = {
        shmem_pe_accessible(1),
        shmem_pe_accessible(2), /* there are 2: PE 0 and PE 1 */
        shmem_addr_accessible(&global, 1),
        shmem_addr_accessible(block, 1),
        shmem_addr_accessible(&local, 1),
    };
    if (shmem_my_pe() == 0)
        printf("PE 1 %d, PE 2 %d; static %d, heap %d, stack %d\n", found[0], found[1], found[2], found[3], found[4]);
    int right = found[0] && !found[1] && found[2] && found[3] && !found[4];
    shmem_free(block);
    shmem_finalize();
    return right ? 0 : 1;
}
