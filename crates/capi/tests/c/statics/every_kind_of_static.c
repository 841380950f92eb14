// pes: 1 2 4 7
// Symmetric without any allocation: .data, .bss, tentative (COMMON) definitions, static locals, arrays across pages, structs,
// aligned objects; put, get, atomics, signals, waits and locks on them, and shmem_ptr to them where it is offered.
// flags: -fcommon
#include "check.h"

long in_data = 11;
long in_bss;
long in_common;
static long static_data = 12, static_bss;
static _Alignas(64) long aligned[8];
static char across_pages[3 * 4096];
static struct {
    char c;
    long l;
    double d;
} record = {'x', 1, 2.0};

static long *in_function(void)
{
    static long local = 13;
    return &local;
}

static void one(long *word, int me, int npes)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    long back;
    CHECK(shmem_addr_accessible(word, to) == 1);
    *word = 1;
    shmem_barrier_all();
    shmem_long_p(word, 100 + me, to);
    shmem_barrier_all();
    CHECK_EQ(*word, 100 + from);
    CHECK_EQ(shmem_long_g(word, to), 100 + me);
    shmem_long_get(&back, word, 1, from);
    CHECK_EQ(back, 100 + (from + npes - 1) % npes);
    shmem_barrier_all();
    (void)shmem_long_atomic_fetch_add(word, 1, to);
    shmem_long_wait_until(word, SHMEM_CMP_EQ, 101 + from);
    shmem_barrier_all();
    *word = 0;
    shmem_barrier_all();
    shmem_set_lock(word), shmem_clear_lock(word);
    shmem_barrier_all();
    CHECK_EQ(*word, 0);
    shmem_barrier_all();
    long *there = shmem_ptr(word, to);
    if (there != NULL) *there = 7 + me;
    shmem_barrier_all();
    // With several hosts, a PE may be able to access one neighbour although the other cannot access it.
    if (shmem_ptr(word, from) != NULL) CHECK_EQ(*word, 7 + from);
    shmem_barrier_all();
}

static void bulk(int me, int npes)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    char source[sizeof across_pages];
    memset(source, me + 1, sizeof source);
    shmem_putmem(across_pages, source, sizeof source, to);
    shmem_barrier_all();
    for (size_t i = 0; i < sizeof across_pages; i++) CHECK_NTH("across_pages", i, across_pages[i], from + 1);
    shmem_double_p(&record.d, me + 0.5, to);
    shmem_char_p(&record.c, (char)('a' + me), to);
    shmem_barrier_all();
    CHECK(record.c == 'a' + from && record.l == 1);
    CHECK_EQ(record.d, from + 0.5);
}

int main(void)
{
    int me, npes;
    CHECK(in_data == 11 && static_data == 12 && *in_function() == 13);
    begin(&me, &npes);
    CHECK(in_data == 11 && static_data == 12 && *in_function() == 13 && in_bss == 0 && in_common == 0);
    long *words[] = {&in_data, &in_bss, &in_common, &static_data, &static_bss, &aligned[5], in_function()};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) one(words[i], me, npes);
    bulk(me, npes);
    end();
    return 0;
}
