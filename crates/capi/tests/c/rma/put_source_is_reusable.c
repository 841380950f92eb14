// pes: 2 4
// A blocking put has read its source when it returns: overwriting it at once must not reach the target, at any size.
#include "check.h"

enum { BIG = 1 << 20 };

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int right = (me + 1) % npes, left = (me + npes - 1) % npes;
    unsigned char *dest = need(BIG), *source = malloc(BIG);
    for (size_t len = 1; len <= BIG; len *= 4)
        for (int round = 0; round < 4; round++) {
            int mark = 1 + (round + (int)(len % 13)) % 30;
            memset(source, mark + me * 31, len);
            shmem_putmem(dest, source, len, right);
            memset(source, 0, len);
            shmem_barrier_all();
            for (size_t i = 0; i < len; i++)
                if (dest[i] != (unsigned char)(mark + left * 31))
                    FAIL("put of %zu bytes: byte %zu is %d, expected %d", len, i, dest[i], mark + left * 31);
            shmem_barrier_all();
        }
    free(source);
    end();
    return 0;
}
