// pes: 2 4
// Litmus: whenever the signal of a put_signal is seen, every byte of its own payload is already there; sizes from 8 bytes to
// 1 MiB, heap and static destinations, blocking and non-blocking.
#include "check.h"

enum { WORDS = 1 << 17, ROUNDS = 60 };
static uint64_t sig, seen, static_dest[1024];

static void check_payload(const uint64_t *dest, size_t words, uint64_t want)
{
    for (size_t i = 0; i < words; i++)
        if (dest[i] != want) FAIL("signal %ju seen, but word %zu of %zu is still %ju", (uintmax_t)want, i, words, (uintmax_t)dest[i]);
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    uint64_t *heap_dest = need(WORDS * sizeof *heap_dest), *source = malloc(WORDS * sizeof *source), round = 0;
    for (size_t words = 1; words <= WORDS; words *= 8)
        for (int i = 0; i < ROUNDS; i++) {
            uint64_t *dest = words <= 1024 && i % 2 ? static_dest : heap_dest;
            round++;
            for (size_t w = 0; w < words; w++) source[w] = round;
            if (i % 3) shmem_uint64_put_signal(dest, source, words, &sig, round, SHMEM_SIGNAL_SET, to);
            else shmem_uint64_put_signal_nbi(dest, source, words, &sig, 1, SHMEM_SIGNAL_ADD, to);
            CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_GE, round), round);
            check_payload(dest, words, round);
            shmem_quiet();
            /* Notify the sender that its next round may overwrite the data. */
            shmem_signal_set(&seen, round, from);
            shmem_signal_wait_until(&seen, SHMEM_CMP_EQ, round);
        }
    free(source);
    end();
    return 0;
}
