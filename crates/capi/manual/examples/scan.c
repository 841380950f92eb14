#include <shmem.h>
#include <stdio.h>

static size_t items, first, last;

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    items = me + 1;
    int failed = shmem_size_sum_exscan(SHMEM_TEAM_WORLD, &first, &items, 1);
    failed |= shmem_size_sum_inscan(SHMEM_TEAM_WORLD, &last, &items, 1);
    printf("PE %d numbers its items from %zu\n", me, first);
    int right = !failed && first == (size_t)me * (me + 1) / 2 && last == first + items;
    shmem_finalize();
    return right ? 0 : 1;
}
