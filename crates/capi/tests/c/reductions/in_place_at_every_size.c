// pes: 1 2 3 4 8
// timeout: 600
// Reductions and scans of 1 to 8 bytes an element with lengths around every internal limit (56 B, 4 KiB, 16 KiB, 64 KiB, 1 MiB),
// in place and apart. The array ends with its block, and the source is overwritten as soon as the call returns.
#include "bytes.h"

static uint8_t *memory;

/* int64 xor, sum and scan; int8 sum; the values differ in every element. */
static void words(const struct sample *one, size_t bytes, int in_place)
{
    size_t n = bytes / 8;
    uint64_t *dest = (uint64_t *)memory, *source = in_place ? dest : dest + LENGTH_MAX / 8 + 1;
    for (int op = 0; op < 4; op++) {
        for (size_t i = 0; i < n; i++) source[i] = BYTE_GUARD + i * 3 + (uint64_t)one->me * 1000003;
        dest[n] = BYTE_GUARD;
        CHECK(shmem_team_sync(one->team) == 0);
        switch (op) {
        case 0: CHECK(shmem_uint64_sum_reduce(one->team, dest, source, n) == 0); break;
        case 1: CHECK(shmem_uint64_max_reduce(one->team, dest, source, n) == 0); break;
        case 2: CHECK(shmem_uint64_sum_inscan(one->team, dest, source, n) == 0); break;
        default: CHECK(shmem_uint64_sum_exscan(one->team, dest, source, n) == 0);
        }
        if (!in_place) memset(source, 0xEE, n * 8);
        uint64_t members = op == 0 ? one->n : op == 2 ? one->me + 1 : one->me, last = (uint64_t)one->n - 1;
        for (size_t i = 0; i < n; i++) {
            uint64_t term = BYTE_GUARD + i * 3, sum = members * term + 1000003 * (members * (members - 1) / 2);
            CHECK_OVER(one, in_place ? "words in place" : "words", i, dest[i], op == 1 ? term + last * 1000003 : sum);
        }
        CHECK_OVER(one, "guard", n, dest[n], BYTE_GUARD);
    }
}

static void single_bytes(const struct sample *one, size_t n, int in_place)
{
    int8_t *dest = (int8_t *)memory, *source = in_place ? dest : dest + LENGTH_MAX + 8;
    for (size_t i = 0; i < n; i++) source[i] = (int8_t)(i % 251 + 3u * (unsigned)one->me);
    dest[n] = 77;
    CHECK(shmem_team_sync(one->team) == 0);
    CHECK(shmem_int8_sum_reduce(one->team, dest, source, n) == 0);
    if (!in_place) memset(source, 0xEE, n);
    for (size_t i = 0; i < n; i++)
        CHECK_OVER(one, "bytes", i, dest[i], (int8_t)(one->n * (int)(i % 251) + 3 * one->n * (one->n - 1) / 2));
    CHECK_OVER(one, "guard", n, dest[n], 77);
}

int main(void)
{
    int me, npes;
    struct samples all;
    begin(&me, &npes);
    samples_make(&all);
    memory = need(2 * LENGTH_MAX + 64);
    for (int k = 0; k < LENGTHS; k++) {
        EACH_SAMPLE(one, &all) {
            if (lengths[k] > 70000 && one->n != npes) continue; // the largest over the largest teams alone
            for (int in_place = 0; in_place < 2; in_place++) {
                if (lengths[k] >= 8) words(one, lengths[k], in_place);
                single_bytes(one, lengths[k], in_place);
            }
        }
        shmem_barrier_all();
    }
    samples_destroy(&all);
    end();
    return 0;
}
