// pes: 1 2
// each: SHMEM_SYMMETRIC_SIZE = 4194304 | 20kk | 3.1M | .5m | 8M and so on | 2e6 | 0.25g | 1G | 5m | 24 | 1000001
// Every form of the heap size is read as the specification says: decimals, one suffix of any case, what follows it ignored. A
// block of that size can be had, to the byte, and again; one a little larger cannot.
#include "check.h"

static const struct {
    const char *text;
    size_t bytes;
} forms[] = {
    {"4194304", 4194304}, {"20kk", 20480}, {"3.1M", 3250586}, {".5m", 524288}, {"8M and so on", 8388608}, {"2e6", 2000000},
    {"0.25g", 268435456}, {"1G", 1073741824}, {"5m", 5242880}, {"24", 24}, {"1000001", 1000001},
};
/* What rounding to pages, huge ones included, may add. */
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
    if (shmem_malloc(bytes + SLACK) != NULL) FAIL("%s: a block of %zu bytes should not fit", text, bytes + SLACK);
    for (int round = 0; round < 2; round++) {
        char *all = shmem_malloc(bytes);
        if (all == NULL) FAIL("%s: a block of %zu bytes should fit", text, bytes);
        all[0] = all[bytes - 1] = 1;
        shmem_free(all);
    }
    end();
    return 0;
}
