// pes: 1 2
// Every header stands by itself, can be included twice and in any order, and shmem.h claims no name outside the specification's.
#include <mpp/shmem.h>
#include <mpp/shmemx.h>
#include <shmemx.h>
#include <pshmem.h>
#include <shmem.h>
#include <pshmem.h>
#include <shmem.h>

/* Names that a program may use for its own ends. */
static int put(int get) { return get; }
static int World, Team, Ctx, ferrite, quiet, min, max, bool_, CMP_EQ, SIGNAL_SET;

int main(void)
{
    pshmem_init();
    int same = pshmem_my_pe() == shmem_my_pe() && pshmem_n_pes() == shmem_n_pes();
    pshmem_barrier_all();
    World = Team = Ctx = ferrite = quiet = min = max = bool_ = CMP_EQ = SIGNAL_SET = put(1);
    shmem_finalize();
    return !(same && World && Team && Ctx && ferrite && quiet && min && max && bool_ && CMP_EQ && SIGNAL_SET);
}
