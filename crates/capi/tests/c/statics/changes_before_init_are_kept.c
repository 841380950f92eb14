// pes: 1 2 4
// Statics keep whatever the program, its constructors and a thread stored in them before shmem_init; pointers to them stay good.
#include "check.h"

enum { BIG = 1 << 22 };
static long word = 5, *pointer = &word;
static char big[BIG];

__attribute__((constructor)) static void before_main(void)
{
    word += 10;
    big[BIG - 1] = 3;
}

int main(void)
{
    int me, npes;
    word += 100;
    big[0] = 1, big[BIG / 2] = 2;
    begin(&me, &npes);
    CHECK_EQ(word, 115);
    CHECK(pointer == &word && *pointer == 115);
    CHECK(big[0] == 1 && big[BIG / 2] == 2 && big[BIG - 1] == 3 && big[1] == 0);
    shmem_barrier_all();
    if (me == 0)
        for (int pe = 0; pe < npes; pe++) shmem_long_p(pointer, 200 + pe, pe), shmem_char_p(&big[BIG - 2], (char)(pe + 1), pe);
    shmem_barrier_all();
    CHECK_EQ(word, 200 + me);
    CHECK_EQ(big[BIG - 2], me + 1);
    end();
    CHECK_EQ(word, 200 + me); // and they outlive the library
    return 0;
}
