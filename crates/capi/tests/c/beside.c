/* Small pieces go back and forth between two PEs, each of which waits for the other at every step: `beside ROUNDS`. A round is sixteen
 * puts with a signal, an answer to each, and a reduction. PE 0 says how long all rounds took, in milliseconds. */
#include "check.h"

enum { PIECES = 16, WORDS = 8 };

static long pieces[PIECES][WORDS], sums[PIECES], mine[PIECES];
static uint64_t come, answered;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

int main(int count, char **arguments)
{
    int me, npes;
    begin(&me, &npes);
    CHECK_EQ(npes, 2);
    CHECK_EQ(count, 2);
    const int peer = 1 - me;
    const long rounds = atol(arguments[1]);
    shmem_barrier_all();
    const double start = now_ms();
    for (long round = 0; round < rounds; round++) {
        for (int piece = 0; piece < PIECES; piece++) {
            const long step = round * PIECES + piece;
            long words[WORDS];
            for (int word = 0; word < WORDS; word++) words[word] = step + word + me;
            shmem_long_put_signal(pieces[piece], words, WORDS, &come, 1, SHMEM_SIGNAL_ADD, peer);
            shmem_signal_wait_until(&come, SHMEM_CMP_GE, (uint64_t)(step + 1));
            mine[piece] = 0;
            for (int word = 0; word < WORDS; word++) {
                CHECK_EQ(pieces[piece][word], step + word + peer);
                mine[piece] += pieces[piece][word];
            }
            shmem_uint64_p(&answered, step + 1, peer);
            shmem_uint64_wait_until(&answered, SHMEM_CMP_GE, (uint64_t)(step + 1));
        }
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sums, mine, PIECES);
        for (int piece = 0; piece < PIECES; piece++) {
            long all = 0;
            for (int word = 0; word < WORDS; word++) all += 2 * (round * PIECES + piece + word) + 1;
            CHECK_EQ(sums[piece], all);
        }
    }
    if (me == 0) printf("took %.3f ms\n", now_ms() - start);
    end();
    return 0;
}
