/* Levels of threads of MPI and OpenSHMEM in one program: `threads FIRST MPI SHMEM` initialises the library that FIRST names (mpi or shmem)
 * first, with the levels whose numbers are MPI and SHMEM. Then as many threads as both levels allow communicate at the same time. */
#include "../c/check.h"
#include <mpi.h>
#include <pthread.h>

enum { ROUNDS = 100, THREADS = 2 };

static int me, npes, next, previous, ranks[64], rank;
static int cells[THREADS][ROUNDS];
static uint64_t arrived[THREADS];

/* Each PE sends its number and the round to the next one. */
static void in_mpi(int thread)
{
    for (int round = 0; round < ROUNDS; round++) {
        int given = me * ROUNDS + round, got = -1;
        CHECK(MPI_Sendrecv(&given, 1, MPI_INT, ranks[next], thread, &got, 1, MPI_INT, ranks[previous], thread, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK_EQ(got, previous * ROUNDS + round);
    }
}

static void in_shmem(int thread)
{
    for (int round = 0; round < ROUNDS; round++) {
        int given = me * ROUNDS + round;
        shmem_int_put_signal(&cells[thread][round], &given, 1, &arrived[thread], 1, SHMEM_SIGNAL_ADD, next);
        shmem_signal_wait_until(&arrived[thread], SHMEM_CMP_GE, round + 1);
        CHECK_EQ(cells[thread][round], previous * ROUNDS + round);
    }
}

static void *mpi_elsewhere(void *unused) { return in_mpi(0), NULL; }

static void *shmem_elsewhere(void *unused) { return in_shmem(0), NULL; }

static void *both_elsewhere(void *unused) { return in_mpi(1), in_shmem(1), NULL; }

/* The level that MPI has granted. */
static int granted = -1;

static void init(int is_mpi, int *count, char ***args, int mpi, int shmem)
{
    int provided = -1;
    if (is_mpi) {
        CHECK(MPI_Init_thread(count, args, mpi, &granted) == MPI_SUCCESS);
    } else {
        CHECK(shmem_init_thread(shmem, &provided) == 0);
        CHECK_EQ(provided, shmem);
    }
}

int main(int count, char **args)
{
    if (count != 4) return 2;
    int mpi = atoi(args[2]), shmem = atoi(args[3]), provided, is_mpi_first = strcmp(args[1], "mpi") == 0;
    init(is_mpi_first, &count, &args, mpi, shmem);
    init(!is_mpi_first, &count, &args, mpi, shmem);
    /* The second library leaves the level of the first alone. */
    CHECK(MPI_Query_thread(&provided) == MPI_SUCCESS);
    CHECK_EQ(provided, granted);
    shmem_query_thread(&provided);
    CHECK_EQ(provided, shmem);
    me = *check_pe() = shmem_my_pe();
    npes = shmem_n_pes();
    next = (me + 1) % npes;
    previous = (me + npes - 1) % npes;
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS);
    CHECK(shmem_int_fcollect(SHMEM_TEAM_WORLD, ranks, &rank, 1) == 0);
    if (granted < mpi) {
        if (me == 0) printf("levels %d and %d: MPI grants less\n", mpi, shmem);
        shmem_finalize();
        CHECK(MPI_Finalize() == MPI_SUCCESS);
        return 0;
    }

    void *(*elsewhere)(void *) = NULL;
    if (mpi == MPI_THREAD_MULTIPLE && shmem == SHMEM_THREAD_MULTIPLE) elsewhere = both_elsewhere;
    else if (mpi >= MPI_THREAD_FUNNELED && shmem >= SHMEM_THREAD_SERIALIZED) elsewhere = shmem_elsewhere;
    else if (mpi >= MPI_THREAD_SERIALIZED && shmem >= SHMEM_THREAD_FUNNELED) elsewhere = mpi_elsewhere;
    pthread_t other;
    if (elsewhere) CHECK(pthread_create(&other, NULL, elsewhere, NULL) == 0);
    if (elsewhere != mpi_elsewhere) in_mpi(0);
    if (elsewhere != shmem_elsewhere) in_shmem(0);
    if (elsewhere) CHECK(pthread_join(other, NULL) == 0);
    if (me == 0) {
        const char *who = elsewhere == NULL ? "one thread" : elsewhere == both_elsewhere ? "two threads in both"
            : elsewhere == mpi_elsewhere ? "another thread in MPI" : "another thread in OpenSHMEM";
        printf("levels %d and %d: %s\n", mpi, shmem, who);
    }
    shmem_finalize();
    CHECK(MPI_Finalize() == MPI_SUCCESS);
    return 0;
}
