#include <shmemx.h>
#include <stdio.h>

struct sum {
    long words, total;
};

static void add_up(void *context, const void *items, size_t nitems, int source_pe) {
    struct sum *sum = context;
    const long *words = items;
    (void)source_pe;
    for (size_t i = 0; i < nitems; i++) sum->total += words[i];
    sum->words += (long)nitems;
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    struct sum sum = {0, 0};
    shmemx_agg_t agg;
    if (shmemx_agg_create(sizeof(long), add_up, &sum, 0, &agg) != 0) shmem_global_exit(1);
    for (long i = 0; i < 1000; i++)
        for (int pe = 0; pe < npes; pe++) {
            long word = i * (me == 0 ? 0 : 4);
            shmemx_agg_send(agg, &word, pe);
        }
    shmem_barrier_all(); /* all items are handled on all PEs */
    if (me == 0) printf("PE 0 got %ld words, the sum of which is %ld\n", sum.words, sum.total);
    shmemx_agg_destroy(&agg);
    shmem_finalize();
    return sum.words == 1000L * npes ? 0 : 1;
}
