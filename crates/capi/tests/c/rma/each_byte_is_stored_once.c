// pes: 2
// needs: mapped
// each: SHMEM_CHECK = no | yes
// A near put or get stores each byte of its destination once, and neither loads nor stores a part of an element that is aligned
// on both sides. The test does not depend on timing: PE 0 executes each call one instruction at a time, with the trap flag of
// the CPU. After each instruction a handler examines the destination, records the new bytes and clears them, as a program does
// that polls a flag; then it changes all bytes of the source. With an argument, every length and alignment is tried, not a
// sample.
#include "check.h"

#ifndef __x86_64__
int main(void)
{
    printf("skipped: single steps: the processor is not an x86-64\n");
    return 0;
}
#else
#include <signal.h>

enum { SHORT = 300, LONG_MIN = 2000, LONG_MAX = 4400, ALIGNMENTS = 16, ROOM = 3 * LONG_MAX };

// The call that is executed step by step.
static unsigned char *volatile dest, *volatile source;
static size_t extent, source_extent;
static const unsigned char *wanted; // bytes of the extent that the call stores, or NULL for all
static unsigned largest;            // size of the largest element that must stay whole
static volatile uint64_t *signal_word;

// Results of the handler.
static unsigned char count[ROOM], generation;
static size_t steps, come;
static const char *found;
static size_t found_at, found_step;

static void find(const char *what, size_t at)
{
    if (!found) found = what, found_at = at, found_step = steps;
}

// The elements that hold byte `at`, of every size: all their bytes have come at this step, from one generation of the source.
static void check_whole(size_t at, const unsigned char *fresh)
{
    for (size_t size = 2; size <= largest; size *= 2) {
        size_t begin = at - ((uintptr_t)dest + at) % size;
        if (begin > at || begin + size > extent || (wanted && !(wanted[begin] && wanted[begin + size - 1]))) continue;
        for (size_t i = begin; i < begin + size; i++)
            if (fresh[i] != fresh[at]) find(fresh[i] ? "torn: it has bytes of two values" : "torn: it came in parts", begin);
    }
}

static void step(int number)
{
    (void)number;
    static unsigned char fresh[ROOM];
    size_t first = extent, last = 0;
    for (size_t at = 0; at < extent;) {
        size_t left = extent - at;
        uint64_t word = 1;
        if (left >= 8) memcpy(&word, dest + at, 8);
        if (word == 0) {
            at += 8;
            continue;
        }
        for (size_t end = at + (left < 8 ? left : 8); at < end; at++) {
            if (dest[at] == 0) continue;
            if (first == extent) memset(fresh, 0, extent), first = at;
            last = at + 1;
            fresh[at] = dest[at];
            dest[at] = 0;
            come++;
            if (++count[at] > 1) find("stored again", at);
            if (wanted && !wanted[at]) find("stored, and no part of the call", at);
        }
    }
    for (size_t at = first; at < last; at++)
        if (fresh[at]) check_whole(at, fresh);
    if (signal_word && *signal_word != 0 && come < extent) find("not there when the signal is", come);
    steps++;
    generation = generation == 255 ? 1 : generation + 1;
    memset(source, generation, source_extent);
}

// The trap flag raises SIGTRAP after each instruction that begins with it set.
#define STEPS_ON()                                                                                                     \
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::: "cc", "memory")
#define STEPS_OFF()                                                                                                    \
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::: "cc",  \
                     "memory")

static shmem_ctx_t ctx;
static uint64_t signal_room;

typedef void moving(void *to, const void *from, size_t bytes);
struct family {
    const char *name;
    unsigned element;
    int is_get;
    int has_signal;
    int full; // a larger sample
    moving *move;
};

#define MOVE(NAME, CALL)                                                                                               \
    static void NAME(void *to, const void *from, size_t n)                                                             \
    {                                                                                                                  \
        CALL;                                                                                                          \
    }
MOVE(putmem, shmem_putmem(to, from, n, 1))
MOVE(putmem_nbi, shmem_putmem_nbi(to, from, n, 1))
MOVE(ctx_putmem, shmem_ctx_putmem(ctx, to, from, n, 1))
MOVE(put_short, shmem_short_put(to, from, n / 2, 1))
MOVE(put_int, shmem_int_put(to, from, n / 4, 1))
MOVE(put_long, shmem_long_put(to, from, n / 8, 1))
MOVE(put_char_nbi, shmem_char_put_nbi(to, from, n, 1))
MOVE(put_signal, shmem_putmem_signal(to, from, n, &signal_room, 1, SHMEM_SIGNAL_SET, 1))
MOVE(put_int_signal, shmem_int_put_signal(to, from, n / 4, &signal_room, 1, SHMEM_SIGNAL_ADD, 1))
MOVE(put_signal_nbi, shmem_putmem_signal_nbi(to, from, n, &signal_room, 1, SHMEM_SIGNAL_SET, 1))
MOVE(getmem, shmem_getmem(to, from, n, 1))
MOVE(getmem_nbi, shmem_getmem_nbi(to, from, n, 1))
MOVE(ctx_getmem, shmem_ctx_getmem(ctx, to, from, n, 1))
MOVE(get_short, shmem_short_get(to, from, n / 2, 1))
MOVE(get_int, shmem_int_get(to, from, n / 4, 1))
MOVE(get_long, shmem_long_get(to, from, n / 8, 1))

static const struct family families[] = {
    {"putmem", 1, 0, 0, 1, putmem},
    {"getmem", 1, 1, 0, 1, getmem},
    {"putmem_nbi", 1, 0, 0, 0, putmem_nbi},
    {"ctx_putmem", 1, 0, 0, 0, ctx_putmem},
    {"short_put", 2, 0, 0, 0, put_short},
    {"int_put", 4, 0, 0, 0, put_int},
    {"long_put", 8, 0, 0, 0, put_long},
    {"char_put_nbi", 1, 0, 0, 0, put_char_nbi},
    {"putmem_signal", 1, 0, 1, 0, put_signal},
    {"int_put_signal", 4, 0, 1, 0, put_int_signal},
    {"putmem_signal_nbi", 1, 0, 1, 0, put_signal_nbi},
    {"getmem_nbi", 1, 1, 0, 0, getmem_nbi},
    {"ctx_getmem", 1, 1, 0, 0, ctx_getmem},
    {"short_get", 2, 1, 0, 0, get_short},
    {"int_get", 4, 1, 0, 0, get_int},
    {"long_get", 8, 1, 0, 0, get_long},
};

static unsigned char *symmetric, *at_peer, *private_memory;
static int all; // lengths and alignments, not a sample of them
static int is_slow; // each call passes through checks, some thousand instructions and more for longer ones

// Prepare both sides, whose views of PE 0 are `dest` and `source`.
static void arrange(unsigned char *to, size_t to_extent, unsigned char *from, size_t from_extent, const unsigned char *mask)
{
    dest = to, source = from, extent = to_extent, source_extent = from_extent, wanted = mask;
    memset(dest - 16, 0, extent + 32);
    memset(count, 0, extent);
    generation = 1, steps = come = 0, found = NULL;
    memset(source, generation, source_extent);
}

static void judge(const char *name, size_t to, size_t from)
{
    step(0);
    for (size_t at = 0; at < extent; at++)
        if (count[at] == 0 && (!wanted || wanted[at])) find("not stored", at);
    for (size_t i = 1; i <= 16; i++)
        if (dest[-i] != 0 || dest[extent + i - 1] != 0) find("beside the destination", i);
    if (found)
        FAIL("%s of %zu bytes, destination at %zu and source at %zu of 16: byte %zu is %s, instruction %zu of %zu", name, extent, to,
             from, found_at, found, found_step, steps);
}

// Checks hold puts against each other that nothing orders.
static void complete(void)
{
    if (is_slow) shmem_quiet(), shmem_ctx_quiet(ctx);
}

// Elements of up to eight bytes stay whole if both ends are aligned to them.
static unsigned largest_whole(void)
{
    unsigned size = 8;
    while (((uintptr_t)dest ^ (uintptr_t)source) % size != 0) size /= 2;
    return size;
}

static void move(const struct family *family, size_t len, size_t to, size_t from)
{
    size_t bytes = len / family->element * family->element;
    if (bytes == 0) return;
    unsigned char *remote = symmetric + 64 + (family->is_get ? from : to);
    unsigned char *view = at_peer + (remote - symmetric), *local = private_memory + 64 + (family->is_get ? to : from);
    arrange(family->is_get ? local : view, bytes, family->is_get ? view : local, bytes, NULL);
    largest = largest_whole();
    signal_word = NULL;
    if (family->has_signal) {
        signal_word = shmem_ptr(&signal_room, 1);
        *signal_word = 0;
    }
    STEPS_ON();
    family->move(family->is_get ? local : remote, family->is_get ? remote : local, bytes);
    STEPS_OFF();
    complete();
    judge(family->name, to, from);
    signal_word = NULL;
}

static void contiguous(void)
{
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        const struct family *family = &families[f];
        unsigned call = 0, every = all ? 1 : is_slow ? 15013 : family->full ? 29 : 401;
        for (size_t len = 1; len <= SHORT; len++)
            for (size_t to = 0; to < ALIGNMENTS; to += 1)
                for (size_t from = 0; from < ALIGNMENTS; from++)
                    if (call++ % every == 0) move(family, len, to, from);
        if (is_slow) continue;
        for (size_t len = LONG_MIN + f; len < LONG_MAX; len += 199) move(family, len, len % 7, len % 16);
        for (size_t len = LONG_MIN + f; len < LONG_MAX; len += 211) move(family, len, len / 2 % 16, len / 2 % 16);
    }
}

// Blocks of `block` elements of `size` bytes, apart at both sides.
static void strided(unsigned size, size_t block, int is_get)
{
    enum { BLOCKS = 5 };
    static unsigned char mask[ROOM];
    size_t to_stride = block + 2, from_stride = block + 1;
    size_t to_extent = (to_stride * (BLOCKS - 1) + block) * size, from_extent = (from_stride * (BLOCKS - 1) + block) * size;
    memset(mask, 0, to_extent);
    for (size_t i = 0; i < BLOCKS; i++) memset(mask + i * to_stride * size, 1, block * size);
    for (size_t shift = 0; shift < 16; shift += size) {
        unsigned char *remote = symmetric + 64 + shift, *view = at_peer + 64 + shift, *local = private_memory + 64;
        arrange(is_get ? local : view, to_extent, is_get ? view : local, from_extent, mask);
        largest = size;
        void *to = is_get ? local : remote, *from = is_get ? remote : local;
        STEPS_ON();
#define SIZE(N, WAY)                                                                                                   \
    if (size == N / 8 && block == 1) shmem_i##WAY##N(to, from, to_stride, from_stride, BLOCKS, 1);                     \
    if (size == N / 8 && block != 1) shmem_ib##WAY##N(to, from, to_stride, from_stride, block, BLOCKS, 1);
        if (is_get) {
            SIZE(16, get) SIZE(32, get) SIZE(64, get)
        } else {
            SIZE(16, put) SIZE(32, put) SIZE(64, put)
        }
        STEPS_OFF();
        complete();
        judge(is_get ? "ibget" : "ibput", shift, 0);
    }
}

#define SINGLE(T, NAME)                                                                                                \
    for (size_t shift = 0; shift < 16; shift += sizeof(T)) {                                                           \
        static T value, back;                                                                                          \
        memset(&value, 7, sizeof value);                                                                               \
        arrange(at_peer + 64 + shift, sizeof(T), private_memory, 1, NULL);                                               \
        largest = sizeof(T);                                                                                           \
        STEPS_ON();                                                                                                    \
        shmem_##NAME##_p((T *)(symmetric + 64 + shift), value, 1);                                                     \
        STEPS_OFF();                                                                                                   \
        complete();                                                                                                    \
        judge(#NAME "_p", shift, 0);                                                                                  \
        arrange(private_memory + 64, 0, at_peer + 64 + shift, sizeof(T), NULL);                                          \
        STEPS_ON();                                                                                                    \
        back = shmem_##NAME##_g((T *)(symmetric + 64 + shift), 1);                                                     \
        STEPS_OFF();                                                                                                   \
        for (size_t i = 1; i < sizeof(T); i++)                                                                         \
            if (((unsigned char *)&back)[i] != ((unsigned char *)&back)[0]) FAIL("%s_g is torn", #NAME);               \
    }

static void pe_0(void)
{
    struct sigaction action = {.sa_handler = step}, before;
    CHECK(sigaction(SIGTRAP, &action, &before) == 0);
    contiguous();
    for (int is_get = 0; is_get < 2; is_get++)
        for (unsigned size = 2; size <= 8; size *= 2)
            for (size_t block = 1; block <= (is_slow ? 2 : 12); block++) strided(size, block, is_get);
    SINGLE(short, short)
    SINGLE(int, int)
    SINGLE(long, long)
    SINGLE(float, float)
    SINGLE(double, double)
    CHECK(sigaction(SIGTRAP, &before, NULL) == 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    all = argc > 1;
    int me, npes;
    begin(&me, &npes);
    const char *check = getenv("SHMEM_CHECK");
    is_slow = check && strcmp(check, "yes") == 0;
    symmetric = shmem_align(64, ROOM);
    private_memory = aligned_alloc(64, (ROOM + 63) / 64 * 64);
    at_peer = shmem_ptr(symmetric, 1);
    CHECK(symmetric && private_memory && at_peer);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    shmem_barrier_all();
    if (me == 0) pe_0();
    shmem_barrier_all();
    shmem_ctx_destroy(ctx);
    free(private_memory);
    shmem_free(symmetric);
    end();
    return 0;
}
#endif
