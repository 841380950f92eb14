// pes: 1 2 3 4 7
// my_pe and n_pes, their old names and their team forms agree; every PE exists once; version and name match the header; all
// constants of the specification exist and are distinct where they must be.
#include "check.h"

static int present[8];
/* Usable where C wants constant expressions. */
static long new_sync[SHMEM_SYNC_SIZE] = {SHMEM_SYNC_VALUE}, old_sync[_SHMEM_BARRIER_SYNC_SIZE] = {_SHMEM_SYNC_VALUE};
enum { COMPARISONS = SHMEM_CMP_EQ + SHMEM_CMP_NE + SHMEM_CMP_GT + SHMEM_CMP_GE + SHMEM_CMP_LT + SHMEM_CMP_LE };
_Static_assert(SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION == 6, "this is 1.6");
_Static_assert(_SHMEM_MAJOR_VERSION == 1 && _SHMEM_MINOR_VERSION == 6, "under the old names too");
_Static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED && SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
                   SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE,
               "thread levels rise");
_Static_assert(SHMEM_SIGNAL_SET != SHMEM_SIGNAL_ADD, "signal operations differ");
_Static_assert((SHMEM_CTX_PRIVATE & SHMEM_CTX_SERIALIZED) == 0 && (SHMEM_CTX_PRIVATE & SHMEM_CTX_NOSTORE) == 0 &&
                   (SHMEM_CTX_SERIALIZED & SHMEM_CTX_NOSTORE) == 0 && SHMEM_CTX_PRIVATE && SHMEM_CTX_SERIALIZED && SHMEM_CTX_NOSTORE,
               "context options are bits");
_Static_assert(SHMEM_MALLOC_ATOMICS_REMOTE && SHMEM_MALLOC_SIGNAL_REMOTE && !(SHMEM_MALLOC_ATOMICS_REMOTE & SHMEM_MALLOC_SIGNAL_REMOTE),
               "malloc hints are bits");
_Static_assert(SHMEM_CTX_SESSION_BATCH != 0 && SHMEM_CTX_SESSION_TOTAL_OPS != 0 && SHMEM_TEAM_NUM_CONTEXTS != 0, "bits");
_Static_assert(sizeof SHMEM_VENDOR_STRING <= SHMEM_MAX_NAME_LEN && sizeof _SHMEM_VENDOR_STRING <= _SHMEM_MAX_NAME_LEN, "name fits");
_Static_assert(SHMEM_SYNC_SIZE >= SHMEM_BCAST_SYNC_SIZE && SHMEM_SYNC_SIZE >= SHMEM_REDUCE_SYNC_SIZE && SHMEM_SYNC_SIZE >= SHMEM_BARRIER_SYNC_SIZE &&
                   SHMEM_SYNC_SIZE >= SHMEM_COLLECT_SYNC_SIZE && SHMEM_SYNC_SIZE >= SHMEM_ALLTOALL_SYNC_SIZE &&
                   SHMEM_SYNC_SIZE >= SHMEM_ALLTOALLS_SYNC_SIZE,
               "SHMEM_SYNC_SIZE is the largest");
_Static_assert(_SHMEM_BCAST_SYNC_SIZE == SHMEM_BCAST_SYNC_SIZE && _SHMEM_REDUCE_SYNC_SIZE == SHMEM_REDUCE_SYNC_SIZE &&
                   _SHMEM_COLLECT_SYNC_SIZE == SHMEM_COLLECT_SYNC_SIZE && SHMEM_REDUCE_MIN_WRKDATA_SIZE > 0 &&
                   _SHMEM_REDUCE_MIN_WRKDATA_SIZE == SHMEM_REDUCE_MIN_WRKDATA_SIZE,
               "old names are aliases");
_Static_assert(_SHMEM_ALLTOALL_SYNC_SIZE == SHMEM_ALLTOALL_SYNC_SIZE && _SHMEM_ALLTOALLS_SYNC_SIZE == SHMEM_ALLTOALLS_SYNC_SIZE,
               "names of peers are aliases");
_Static_assert(_SHMEM_CMP_EQ == SHMEM_CMP_EQ && _SHMEM_CMP_NE == SHMEM_CMP_NE && _SHMEM_CMP_GT == SHMEM_CMP_GT && _SHMEM_CMP_GE == SHMEM_CMP_GE &&
                   _SHMEM_CMP_LT == SHMEM_CMP_LT && _SHMEM_CMP_LE == SHMEM_CMP_LE,
               "old names are aliases");

static void distinct_comparisons(int code)
{
    switch (code) { // a duplicate does not compile
    case SHMEM_CMP_EQ:
    case SHMEM_CMP_NE:
    case SHMEM_CMP_GT:
    case SHMEM_CMP_GE:
    case SHMEM_CMP_LT:
    case SHMEM_CMP_LE: break;
    }
}

int main(void)
{
    int me, npes, major = -1, minor = -1;
    begin(&me, &npes);
    distinct_comparisons(COMPARISONS);
    CHECK(me >= 0 && me < npes);
    CHECK(_my_pe() == me && _num_pes() == npes);
    CHECK(new_sync[0] == SHMEM_SYNC_VALUE && old_sync[0] == SHMEM_SYNC_VALUE);
    shmem_info_get_version(&major, &minor);
    CHECK(major == 1 && minor == 6);
    char name[SHMEM_MAX_NAME_LEN];
    memset(name, 'x', sizeof name);
    shmem_info_get_name(name);
    CHECK(memchr(name, 0, sizeof name) != NULL);
    CHECK(strcmp(name, SHMEM_VENDOR_STRING) == 0);
    for (int pe = 0; pe < npes; pe++) shmem_int_atomic_inc(&present[me], pe);
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++) CHECK_NTH("PEs of this number", pe, present[pe], 1);
    shmem_pcontrol(0), shmem_pcontrol(1), shmem_pcontrol(2, "anything", 3.0), shmem_pcontrol(-1000000);
    end();
    return 0;
}
