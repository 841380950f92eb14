/* Operands in memory in which the specification for GPUs forbids them, one a run: `device NAME` makes the call of that name with two PEs or
 * more, `device --list` prints the table. A row is as in `main.c`. */
#include "../c/device/device.h"
#include <shmemx.h>

enum who { ONE, ALL };

static const char *const who_names[] = {"one", "all"};

enum { N = 4, DEVICE_BYTES = 8 << 20 };

static int me, npes, to;
/* Of the device heap; the driver's own device memory; of the host's heap; private. */
static long *device, *outside, *host, *own;
static uint64_t *sig;
static int status[N];
static size_t indices[N], places[N], lens[N], total;
static long wants[N];
static shmemx_req_t request;
static long psync[SHMEM_REDUCE_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE];
static long pwork[SHMEM_REDUCE_MIN_WRKDATA_SIZE + N];

/* First reading: a function for each row. */
#define BAD(who, name, routine, argument, ...)                                                                         \
    static void act_##name(void) { __VA_ARGS__; }
#include "device_rows.h"
#undef BAD

static const struct row {
    enum who who;
    const char *name, *routine, *argument;
    void (*act)(void);
} rows[] = {
/* Second reading: the table. */
#define BAD(who, name, routine, argument, ...) {who, #name, routine, argument, act_##name},
#include "device_rows.h"
#undef BAD
};

int main(int count, char **args)
{
    if (count != 2) return 2;
    const struct row *row = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(args[1], "--list") == 0)
            printf("%s\t%s\t%s\t%s\n", who_names[rows[i].who], rows[i].name, rows[i].routine, rows[i].argument);
        if (strcmp(args[1], rows[i].name) == 0) row = &rows[i];
    }
    if (row == NULL) return strcmp(args[1], "--list") != 0;
    begin_device(&me, &npes);
    to = (me + 1) % npes;
    device = shmemg_calloc(64, sizeof(long));
    outside = device_alloc(2 << 20);
    host = shmem_calloc(64, sizeof(long));
    own = calloc(64, sizeof(long));
    sig = shmem_calloc(1, sizeof(uint64_t));
    for (size_t i = 0; i < N; i++) lens[i] = 8, places[i] = 16 * i;
    if (row->who == ALL || me == 1) row->act();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
