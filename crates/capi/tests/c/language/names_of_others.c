// pes: 1 2 4
// Names of Open MPI, Sandia OpenSHMEM, Cray and the reference implementation that are not in the specification: each does what
// its name says.
#include "types.h"
#include <shmemx.h>

#ifndef HAVE_SHMEMX_WTIME
#error "shmemx_wtime is there, and programs ask by this name"
#endif

// In no header, since programs have variables of these names.
int my_pe(void);
int num_pes(void);

static int me, npes, to, from;

#define WORDS(X) \
    X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t) \
    X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)

#define OLD_ATOMICS(PREFIX, NAME, T)                                                                                   \
    {                                                                                                                  \
        static T word = 10;                                                                                            \
        CHECK_EQ(PREFIX##_##NAME##_fadd(&word, 5, to), 10);                                                            \
        CHECK_EQ(PREFIX##_##NAME##_finc(&word, to), 15);                                                               \
        PREFIX##_##NAME##_inc(&word, to);                                                                              \
        PREFIX##_##NAME##_add(&word, 3, to);                                                                           \
        CHECK_EQ(PREFIX##_##NAME##_cswap(&word, 20, 33, to), 20);                                                      \
        CHECK_EQ(PREFIX##_##NAME##_swap(&word, 21, to), 33);                                                           \
        CHECK_EQ(PREFIX##_##NAME##_fetch(&word, to), 21);                                                              \
        PREFIX##_##NAME##_set(&word, 22, to);                                                                          \
        shmem_barrier_all();                                                                                           \
        CHECK_EQ(word, 22);                                                                                            \
    }
#define OLD(NAME, T) OLD_ATOMICS(shmem, NAME, T)

#define BITS_OF(PREFIX, NAME, T)                                                                                       \
    {                                                                                                                  \
        static T word = 12;                                                                                            \
        CHECK_EQ(PREFIX##_##NAME##_atomic_fetch_or(&word, 3, to), 12);                                                 \
        CHECK_EQ(PREFIX##_##NAME##_atomic_fetch_and(&word, 14, to), 15);                                               \
        CHECK_EQ(PREFIX##_##NAME##_atomic_fetch_xor(&word, 6, to), 14);                                                \
        PREFIX##_##NAME##_atomic_or(&word, 1, to);                                                                     \
        PREFIX##_##NAME##_atomic_and(&word, 11, to);                                                                   \
        PREFIX##_##NAME##_atomic_xor(&word, 2, to);                                                                    \
        shmem_barrier_all();                                                                                           \
        CHECK_EQ(word, 11);                                                                                            \
    }
#define BITS(NAME, T) BITS_OF(shmem, NAME, T)

#define LOGIC(NAME, T)                                                                                                 \
    {                                                                                                                  \
        static T source, all[3];                                                                                       \
        source = (T)(me == 0 ? 6 : 3);                                                                                 \
        shmem_##NAME##_and_reduce(SHMEM_TEAM_WORLD, all, &source, 1);                                                  \
        shmem_##NAME##_or_reduce(SHMEM_TEAM_WORLD, all + 1, &source, 1);                                               \
        shmem_##NAME##_xor_reduce(SHMEM_TEAM_WORLD, all + 2, &source, 1);                                              \
        CHECK_EQ(all[0], npes == 1 ? 6 : 2);                                                                           \
        CHECK_EQ(all[1], npes == 1 ? 6 : 7);                                                                           \
        CHECK_EQ(all[2], npes % 2 ? 6 : 5);                                                                            \
    }

#define MOVE(NAME, T)                                                                                                  \
    {                                                                                                                  \
        static T dest[4], source[4];                                                                                   \
        T got[4];                                                                                                      \
        void *handle = dest;                                                                                           \
        for (int i = 0; i < 4; i++) source[i] = (T)(me + i);                                                           \
        CHECK(shmem_##NAME##_put_nb(dest, source, 2, to) == NULL);                                                     \
        shmem_##NAME##_put_nb(dest + 2, source + 2, 2, to, &handle);                                                   \
        shmem_wait_nb(handle);                                                                                         \
        shmem_barrier_all();                                                                                           \
        shmem_##NAME##_get_nb(got, source, 4, to, &handle);                                                            \
        CHECK_EQ(shmem_test_nb(handle), 1);                                                                            \
        for (int i = 0; i < 4; i++) CHECK_NTH(#NAME, i, dest[i], (T)(from + i));                                       \
        for (int i = 0; i < 4; i++) CHECK_NTH(#NAME, i, got[i], (T)(to + i));                                          \
        shmem_barrier_all();                                                                                           \
    }

// Reductions of all widths that Open MPI names.
#define WIDTH(NAME, T)                                                                                                 \
    {                                                                                                                  \
        static T word, sum, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];                                                       \
        shmemx_##NAME##_p(&word, (T)(me + 1), to);                                                                     \
        shmem_barrier_all();                                                                                           \
        CHECK_EQ(shmemx_##NAME##_g(&word, me), from + 1);                                                              \
        shmemx_##NAME##_sum_to_all(&sum, &word, 1, 0, 0, npes, work, sync);                                            \
        CHECK_EQ(sum, npes * (npes + 1) / 2);                                                                          \
        shmem_barrier_all();                                                                                           \
        shmemx_##NAME##_max_to_all(&sum, &word, 1, 0, 0, npes, work, sync);                                            \
        CHECK_EQ(sum, npes);                                                                                           \
        shmem_barrier_all();                                                                                           \
    }

static void handles(void)
{
    static long dest[8], source[8];
    shmemx_request_handle_t desc;
    int flag = 0;
    for (int i = 0; i < 8; i++) source[i] = 10 * me + i;
    // With a handle and without one.
    shmemx_putmem_nb(dest, source, 2 * sizeof(long), to);
    shmemx_putmem_nb(dest + 2, source + 2, 2 * sizeof(long), to, &desc);
    shmemx_wait_req(desc);
    shmemx_long_put_nb(dest + 4, source + 4, 4, to, &desc);
    shmemx_test_req(desc, &flag);
    CHECK_EQ(flag, 1);
    CHECK_EQ(shmemx_fence_test(), 1);
    CHECK_EQ(shmemx_ctx_fence_test(SHMEM_CTX_DEFAULT), 1);
    CHECK_EQ(shmemx_quiet_test(), 1);
    CHECK_EQ(shmemx_ctx_quiet_test(SHMEM_CTX_DEFAULT), 1);
    shmem_barrier_all();
    for (int i = 0; i < 8; i++) CHECK_NTH("put_nb", i, dest[i], 10 * from + i);
}

// The old wait, for a word that the PE before us adds one to.
#define WAIT(NAME, T)                                                                                                  \
    {                                                                                                                  \
        static T word = 7;                                                                                             \
        shmem_##NAME##_atomic_inc(&word, to);                                                                          \
        shmem_##NAME##_wait(&word, 7);                                                                                 \
        CHECK_EQ(word, 8);                                                                                             \
    }

// Threads by Cray's older names, which return the level, and sessions without hints.
static void threads_and_sessions(void)
{
    static long word;
    CHECK_EQ(shmemx_init_thread(77), -1);
    CHECK_EQ(shmemx_init_thread(SHMEM_THREAD_SERIALIZED), SHMEM_THREAD_SERIALIZED);
    CHECK_EQ(shmemx_query_thread(), SHMEM_THREAD_SERIALIZED);
    shmem_finalize(); // of two inits: it goes on
    shmemx_ctx_session_start(SHMEM_CTX_DEFAULT);
    shmem_long_p(&word, me + 1, to);
    shmemx_ctx_session_stop(SHMEM_CTX_DEFAULT);
    shmem_barrier_all();
    CHECK_EQ(word, from + 1);
}

static void broadcasts(long *sync)
{
    static int narrow[2], four[2];
    static double wide[2], eight[2];
    four[1] = me + 1, eight[1] = me + 1;
    shmemx_broadcast(narrow, four, 2, 0, 0, 0, npes, sync);
    shmemx_broadcast(wide, eight, 2, 0, 0, 0, npes, sync + SHMEM_BCAST_SYNC_SIZE);
    CHECK_EQ(narrow[1], me == 0 ? 0 : 1);
    CHECK_EQ(wide[1], me == 0 ? 0 : 1);
}

int main(void)
{
    static long sync[2 * SHMEM_SYNC_SIZE];
    begin(&me, &npes);
    to = (me + 1) % npes, from = (me + npes - 1) % npes;
    CHECK_EQ(my_pe(), me);
    CHECK_EQ(num_pes(), npes);
    WORDS(OLD)
    OLD_ATOMICS(shmemx, int32, int32_t)
    OLD_ATOMICS(shmemx, int64, int64_t)
    BITS(int, int) BITS(long, long) BITS(longlong, long long)
    BITS_OF(shmemx, int32, int32_t) BITS_OF(shmemx, uint64, uint64_t)
    LOGIC(short, short) LOGIC(int, int) LOGIC(long, long) LOGIC(longlong, long long)
    MOVE(float, float) MOVE(double, double) MOVE(longdouble, long double) MOVE(char, char) MOVE(short, short)
    MOVE(int, int) MOVE(long, long) MOVE(longlong, long long)
    WIDTH(int16, int16_t) WIDTH(int32, int32_t) WIDTH(int64, int64_t)
    WAIT(uint, unsigned) WAIT(ulong, unsigned long) WAIT(ulonglong, unsigned long long) WAIT(int32, int32_t)
    WAIT(int64, int64_t) WAIT(uint32, uint32_t) WAIT(uint64, uint64_t) WAIT(size, size_t) WAIT(ptrdiff, ptrdiff_t)
    static unsigned short narrow;
    shmem_ushort_p(&narrow, 1, to);
    shmem_ushort_wait(&narrow, 0);
    threads_and_sessions();
    handles();
    broadcasts(sync);
    static int32_t flag;
    shmemx_int32_p(&flag, 4, to);
    shmemx_int32_wait_until(&flag, SHMEM_CMP_EQ, 4);
    shmemx_int32_wait(&flag, 0);
    end();
    return 0;
}
