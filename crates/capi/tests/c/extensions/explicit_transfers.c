// pes: 1 2 4
// Cray's explicit non-blocking puts, gets and atomics for every type, puts that set a signal, atomics of 16 bits, local completion,
// threads and sessions: each does on the peer what its name says.
#include "types.h"
#include <shmemx.h>

enum { LEN = 10 };
static int me, npes, to, from;
static uint64_t sig;
static short shorts[4];

#define MOVE(NAME, T)                                                                                                  \
    {                                                                                                                  \
        static T dest[LEN], source[LEN];                                                                               \
        T got[LEN];                                                                                                    \
        for (int i = 0; i < LEN; i++) source[i] = (T)(me + i);                                                         \
        shmemx_##NAME##_put_nb(dest, source, LEN / 2, to);                                                             \
        shmemx_ctx_##NAME##_put_nb(SHMEM_CTX_DEFAULT, dest + LEN / 2, source + LEN / 2, LEN / 2, to);                  \
        shmem_barrier_all();                                                                                           \
        for (int i = 0; i < LEN; i++) CHECK_NTH(#NAME " put", i, dest[i], (T)(from + i));                              \
        shmemx_##NAME##_get_nb(got, source, LEN / 2, to);                                                              \
        shmemx_ctx_##NAME##_get_nb(SHMEM_CTX_DEFAULT, got + LEN / 2, source + LEN / 2, LEN / 2, to);                   \
        shmem_quiet();                                                                                                 \
        for (int i = 0; i < LEN; i++) CHECK_NTH(#NAME " get", i, got[i], (T)(to + i));                                 \
        shmem_barrier_all();                                                                                           \
        shmemx_##NAME##_ibput(dest, source, 3, 2, 2, 2, to);                                                           \
        shmem_barrier_all();                                                                                           \
        CHECK_NTH(#NAME " ibput", 3, dest[3], (T)(from + 2));                                                          \
        CHECK_NTH(#NAME " ibput", 4, dest[4], (T)(from + 3));                                                          \
        shmemx_ctx_##NAME##_ibget(SHMEM_CTX_DEFAULT, got, source, 2, 3, 2, 2, to);                                     \
        CHECK_NTH(#NAME " ibget", 2, got[2], (T)(to + 3));                                                             \
        shmem_barrier_all();                                                                                           \
    }

#define ATOMICS(NAME, T)                                                                                               \
    {                                                                                                                  \
        static T word;                                                                                                 \
        T old = 0;                                                                                                     \
        void *handle = &old;                                                                                           \
        word = 1;                                                                                                      \
        shmem_barrier_all();                                                                                           \
        shmemx_##NAME##_add_nb(&word, 4, to, NULL);                                                                    \
        shmemx_##NAME##_inc_nb(&word, to, &handle);                                                                    \
        CHECK(handle == NULL);                                                                                         \
        shmemx_##NAME##_fadd_nb(&old, &word, 2, to, NULL);                                                             \
        shmem_quiet();                                                                                                 \
        CHECK_EQ(old, 6);                                                                                              \
        shmemx_##NAME##_finc_nb(&old, &word, to, NULL);                                                                \
        shmem_quiet();                                                                                                 \
        CHECK_EQ(old, 8);                                                                                              \
        shmemx_##NAME##_cswap_nb(&old, &word, 9, 20, to, NULL);                                                        \
        shmem_quiet();                                                                                                 \
        CHECK_EQ(old, 9);                                                                                              \
        shmemx_##NAME##_swap_nb(&old, &word, 30, to, NULL);                                                            \
        shmem_quiet();                                                                                                 \
        CHECK_EQ(old, 20);                                                                                             \
        shmem_barrier_all();                                                                                           \
        CHECK_EQ(word, 30);                                                                                            \
        shmem_barrier_all();                                                                                           \
    }

static void announced(void)
{
    static long dest[2], source[2];
    for (uint64_t round = 1; round <= 100; round++) {
        source[0] = me + (long)round;
        if (round % 2) shmemx_long_put_signal(dest, source, 1, &sig, round, to);
        else shmemx_put64_signal_nb(dest, source, 1, &sig, round, to);
        shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, round);
        CHECK_EQ(dest[0], from + (long)round);
        shmem_barrier_all();
    }
    shmemx_signal_set(&sig, 7, to);
    shmemx_ctx_signal_add(SHMEM_CTX_DEFAULT, &sig, 1, to);
    shmemx_pe_quiet(to);
    shmem_barrier_all();
    CHECK_EQ(sig, 8);
}

static void narrow(void)
{
    shmem_barrier_all();
    shmemx_short_add(&shorts[1], 32767, to);
    CHECK_EQ(shmemx_short_fadd(&shorts[1], 2, to), 32767);
    CHECK_EQ(shmemx_short_finc(&shorts[1], to), -32767);
    shmemx_short_inc(&shorts[1], to);
    CHECK_EQ(shmemx_short_cswap(&shorts[1], -32765, 5, to), -32765);
    CHECK_EQ(shmemx_short_swap(&shorts[1], 6, to), 5);
    shmem_barrier_all();
    CHECK(shorts[0] == 0 && shorts[1] == 6 && shorts[2] == 0);
}

int main(void)
{
    begin(&me, &npes);
    to = (me + 1) % npes, from = (me + npes - 1) % npes;
    shmemx_thread_register();
    shmemx_session_start(SHMEM_CTX_DEFAULT, SHMEM_SESSION_BUNDLE | SHMEM_SESSION_OP_PUT | SHMEM_SESSION_DC);
    RMA_TYPES(MOVE)
    STANDARD_TYPES(ATOMICS)
    announced();
    narrow();
    shmemx_local_complete();
    shmemx_thread_fence();
    shmemx_thread_quiet();
    shmemx_session_stop(SHMEM_CTX_DEFAULT);
    shmemx_thread_unregister();
    double before = shmemx_wtime(), after = shmemx_wtime();
    CHECK(before > 0 && after >= before);
    CHECK(strlen(shmemx_nodename()) > 0);
    static int in[2], upto[2], before_us[2];
    int here = shmem_team_my_pe(SHMEMX_TEAM_NODE);
    in[0] = here + 1;
    CHECK_EQ(shmemx_int_sum_inscan(SHMEMX_TEAM_NODE, upto, in, 1), 0);
    CHECK_EQ(upto[0], (here + 1) * (here + 2) / 2);
    CHECK_EQ(shmemx_int_sum_exscan(SHMEMX_TEAM_NODE, before_us, in, 1), 0);
    CHECK_EQ(before_us[0], here * (here + 1) / 2);
    void *block = shmem_malloc_with_hints(100, SHMEMX_MALLOC_NO_BARRIER);
    CHECK(block != NULL);
    shmem_free(block);
    CHECK_EQ(shmemx_query_interoperability(MPI_PROCESSES_ARE_PES), 1);
    CHECK_EQ(shmemx_query_interoperability(SHMEM_INITIALIZES_MPI), 0);
    CHECK_EQ(shmemx_query_interoperability(SHMEMX_PROGRESS_MPI), 0);
    block = shmemx_malloc_with_hint(100, SHMEM_HINT_LOW_LAT_MEM | SHMEM_HINT_ATOMICS);
    CHECK(block != NULL);
    shmem_free(block);
    end();
    return 0;
}
