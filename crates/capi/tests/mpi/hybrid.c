/* MPI and OpenSHMEM in one program: `hybrid FIRST LAST` initialises the one that FIRST names (mpi or shmem) before the other, and
 * finalizes the one that LAST names after it. In between, both communicate, and PE numbers and ranks are translated. */
#include "../c/check.h"
#include <mpi.h>

static int rank_of_pe, ranks[64], given, got;

static void init(const char *which, int *count, char ***args)
{
    if (strcmp(which, "mpi") == 0) CHECK(MPI_Init(count, args) == MPI_SUCCESS);
    else shmem_init();
}

static void finalize(const char *which)
{
    if (strcmp(which, "mpi") == 0) CHECK(MPI_Finalize() == MPI_SUCCESS);
    else shmem_finalize();
}

/* PE 1 waits in MPI until PE 0 has read its memory and sends it a message. */
static void read_from_who_waits_in_mpi(int me)
{
    if (me == 0) {
        CHECK_EQ(shmem_int_g(&given, 1), 7);
        CHECK(MPI_Send(&me, 1, MPI_INT, ranks[1], 8, MPI_COMM_WORLD) == MPI_SUCCESS);
    } else if (me == 1) {
        CHECK(MPI_Recv(&got, 1, MPI_INT, ranks[0], 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
}

static const char *other(const char *which) { return strcmp(which, "mpi") == 0 ? "shmem" : "mpi"; }

int main(int count, char **args)
{
    if (count != 3) return 2;
    const char *first = args[1], *last = args[2];
    char name[SHMEM_MAX_NAME_LEN];
    int ranks_there, sum = 0;
    init(first, &count, &args);
    init(other(first), &count, &args);
    shmem_info_get_name(name);
    CHECK(strstr(name, "Ferrite") != NULL); // and not the one that comes with MPI
    int me = *check_pe() = shmem_my_pe(), npes = shmem_n_pes();
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_pe) == MPI_SUCCESS);
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks_there) == MPI_SUCCESS);
    CHECK_EQ(ranks_there, npes);
    CHECK(shmem_int_fcollect(SHMEM_TEAM_WORLD, ranks, &rank_of_pe, 1) == 0);
    for (int round = 0; round < 100; round++) {
        int to = (me + 1) % npes, from = (me + npes - 1) % npes;
        shmem_int_p(&given, me + round, to);
        shmem_barrier_all();
        CHECK_EQ(given, from + round);
        CHECK(MPI_Sendrecv(&given, 1, MPI_INT, ranks[to], 7, &got, 1, MPI_INT, ranks[from], 7, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK_EQ(got, (from + npes - 1) % npes + round);
        CHECK(MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
        CHECK_EQ(sum, npes * round);
    }
    given = 7;
    shmem_barrier_all();
    if (npes > 1) read_from_who_waits_in_mpi(me);
    if (me == 0) printf("both, %s first, %s last\n", first, last);
    finalize(other(last));
    finalize(last);
    return 0;
}
