// pes: 1 2 3 4 8
// broadcastmem, collectmem, fcollectmem, alltoallmem and alltoallsmem with lengths around every internal limit, over world,
// the reversed world and nested teams; the memory next to each destination stays as it is.
#include "bytes.h"

static uint8_t *dest, *source;

static void ready(const struct sample *one, size_t total)
{
    memset(dest, BYTE_GUARD, total + 64);
    CHECK(shmem_team_sync(one->team) == 0);
}

static void guarded(const struct sample *one, const char *what, size_t total)
{
    for (int i = 0; i < 64; i++) CHECK_OVER(one, what, total + i, dest[total + i], BYTE_GUARD);
}

static void one_to_all(const struct sample *one, size_t length, int round)
{
    int root = round % one->n;
    ready(one, length);
    if (one->me == root) bytes_fill(source, length, root, 0, round);
    CHECK(shmem_broadcastmem(one->team, dest, source, length, root) == 0);
    bytes_check(one, "shmem_broadcastmem", dest, length, root, 0, round);
    guarded(one, "shmem_broadcastmem", length);
    bytes_fill(source, length, one->me, 1, round); // reusable at once
}

static void all_to_one_place(const struct sample *one, size_t length, int round)
{
    size_t mine = (one->me + round) % 3 == 1 ? 0 : length - (size_t)one->me % length, total = 0;
    ready(one, length * one->n);
    bytes_fill(source, mine, one->me, 2, round);
    CHECK(shmem_collectmem(one->team, dest, source, mine) == 0);
    for (int pe = 0; pe < one->n; pe++) {
        size_t theirs = (pe + round) % 3 == 1 ? 0 : length - (size_t)pe % length;
        bytes_check(one, "shmem_collectmem", dest + total, theirs, pe, 2, round);
        total += theirs;
    }
    guarded(one, "shmem_collectmem", total);
    ready(one, length * one->n);
    bytes_fill(source, length, one->me, 3, round);
    CHECK(shmem_fcollectmem(one->team, dest, source, length) == 0);
    memset(source, 0, length);
    for (int pe = 0; pe < one->n; pe++) bytes_check(one, "shmem_fcollectmem", dest + pe * length, length, pe, 3, round);
    guarded(one, "shmem_fcollectmem", length * one->n);
}

static void all_to_all(const struct sample *one, size_t length, int round)
{
    ready(one, length * one->n);
    for (int pe = 0; pe < one->n; pe++) bytes_fill(source + pe * length, length, one->me, pe, round);
    CHECK(shmem_alltoallmem(one->team, dest, source, length) == 0);
    memset(source, 0, length * one->n);
    for (int pe = 0; pe < one->n; pe++)
        bytes_check(one, "shmem_alltoallmem", dest + pe * length, length, pe, one->me, round);
    guarded(one, "shmem_alltoallmem", length * one->n);
    if (length > LENGTH_MAX / 8) return;
    ready(one, 3 * length * one->n);
    for (int pe = 0; pe < one->n; pe++)
        for (size_t i = 0; i < length; i++) source[2 * (pe * length + i)] = byte_of(one->me, pe, round, i);
    CHECK(shmem_alltoallsmem(one->team, dest, source, 3, 2, length) == 0);
    for (size_t i = 0; i < 3 * length * one->n; i++) {
        size_t k = i / 3;
        int from = (int)(k / length), gap = i % 3 != 0;
        CHECK_OVER(one, "shmem_alltoallsmem", i, dest[i], gap ? BYTE_GUARD : byte_of(from, one->me, round, k % length));
    }
}

int main(void)
{
    int me, npes;
    struct samples all;
    begin(&me, &npes);
    samples_make(&all);
    dest = need(LENGTH_MAX * npes + 64), source = need(LENGTH_MAX * npes + 64);
    for (int i = 0; i < LENGTHS; i++) {
        EACH_SAMPLE(one, &all) {
            if (lengths[i] > 70000 && one->n != npes) continue; // the largest over the largest teams alone
            one_to_all(one, lengths[i], i);
            all_to_one_place(one, lengths[i], i);
            all_to_all(one, lengths[i], i);
            CHECK(shmem_team_sync(one->team) == 0);
        }
        shmem_barrier_all();
    }
    samples_destroy(&all);
    end();
    return 0;
}
