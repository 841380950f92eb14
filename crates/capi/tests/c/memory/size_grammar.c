// pes: 1 2
// each: SHMEM_SYMMETRIC_SIZE = 4194304 | 20kk | 3.1M | .5m | 8M and so on | 2e6 | 0.25g | 1G | 5m | 24 | 1000001
// Every form of the heap size is parsed as in the specification: decimals, one suffix of either case, and anything after it
// ignored. A block of exactly that size can be allocated, and allocated again; a slightly larger one cannot. shmemx_heap_size
// returns the size, whatever is allocated.
#include "check.h"
#include <shmemx.h>

static const struct {
    const char *text;
    size_t bytes;
} forms[] = {
    {"4194304", 4194304}, {"20kk", 20480}, {"3.1M", 3250586}, {".5m", 524288}, {"8M and so on", 8388608}, {"2e6", 2000000},
    {"0.25g", 268435456}, {"1G", 1073741824}, {"5m", 5242880}, {"24", 24}, {"1000001", 1000001},
};
/* The maximum that rounding to pages, including huge ones, adds. */
enum { SLACK = 4 << 20 };

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    const char *text = getenv("SHMEM_SYMMETRIC_SIZE");
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (text != NULL && strcmp(text, forms[i].text) == 0) bytes = forms[i].bytes;
    CHECK(bytes != 0);
    const size_t size = shmemx_heap_size();
    CHECK(size >= bytes && size < bytes + 16);
    if (shmem_malloc(bytes + SLACK) != NULL) FAIL("%s: a block of %zu bytes should not fit", text, bytes + SLACK);
    for (int round = 0; round < 2; round++) {
        char *all = shmem_malloc(bytes);
        if (all == NULL) FAIL("%s: a block of %zu bytes should fit", text, bytes);
        CHECK_EQ(shmemx_heap_size(), size);
        all[0] = all[bytes - 1] = 1;
        shmem_free(all);
    }
    end();
    return 0;
}
