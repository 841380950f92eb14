/* The reference for put and get: memcpy of each size between two page-aligned buffers of one pinned process, with the same layout
 * as in the SHMEM programs. */
#include "bare.h"

struct copy {
    char *to, *from;
    size_t bytes;
};

static void copies(long n, void *arg)
{
    const struct copy *c = arg;
    for (long i = 0; i < n; i++) {
        memcpy(c->to, c->from, c->bytes);
        __asm__ volatile("" ::: "memory"); /* keeps the compiler from removing copies */
    }
}

int main(int argc, char **argv)
{
    struct batch_settings settings = batch_arguments(argc, argv);
    bare_pin(0);
    for (int i = 3; i < argc; i++) {
        struct copy c = {NULL, NULL, strtoull(argv[i], NULL, 10)};
        size_t pages = (c.bytes + 4095) / 4096 * 4096;
        c.to = aligned_alloc(4096, pages);
        c.from = aligned_alloc(4096, pages);
        if (!c.bytes || !c.to || !c.from)
            bare_fail(argv[i]);
        memset(c.to, 0, pages);
        memset(c.from, 1, pages);
        batch_report_time("bare_memcpy", c.bytes, batch_alone(settings, copies, &c));
        free(c.from);
        free(c.to);
    }
    return 0;
}
