/* Every kind of bad input, one a run: `main NAME` does what NAME says with two PEs or more, `main --list` prints the table.
 *
 * A row of the lists below has the caller (ONE: PE 1, while the others wait in a barrier; ALL), the routine and the argument
 * that the library's message must name, and the call. In FINE rows nothing is wrong: the job ends with 0. In FAULT
 * rows the program's own memory is at fault, so a signal ends the process, as it would without a library. */
#include "../c/check.h"
#include <shmemx.h>

enum who { ONE, ALL, FINE, FAULT };

static const char *const who_names[] = {"one", "all", "fine", "fault"};

/* Symmetric objects, and others. */
static long word[64], more[64];
static uint64_t sig;
static long psync[SHMEM_SYNC_SIZE], pwrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 64];
static long lock;
static size_t indices[8];
static const long wants[8] = {5, 5, 5, 5, 5, 5, 5, 5};
static const int excluded[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static long *heap, *stack;
static int me, npes;
/* Handles that were valid. */
static shmem_ctx_t ctx, dead_ctx;
static shmem_team_t team, dead_team;

/* The handler of an aggregator. */
static void handle_items(void *context, const void *items, size_t nitems, int source_pe)
{
    (void)context, (void)items, (void)nitems, (void)source_pe;
}
#define GARBAGE_CTX ((shmem_ctx_t)(uintptr_t)0x7ffd12345678)
#define GARBAGE_TEAM ((shmem_team_t)(uintptr_t)0x7ffd12345678)
#define ODD(T, address) ((T *)((char *)(address) + 1))

/* First reading: a function for each row. */
#define BAD(who, name, routine, argument, ...)                                                                         \
    static void act_##name(void) { __VA_ARGS__; }
#include "transfers.h"
#include "waits.h"
#include "collectives.h"
#include "handles.h"
#undef BAD

static const struct row {
    enum who who;
    const char *name, *routine, *argument;
    void (*act)(void);
} rows[] = {
/* Second reading: the table. */
#define BAD(who, name, routine, argument, ...) {who, #name, routine, argument, act_##name},
#include "transfers.h"
#include "waits.h"
#include "collectives.h"
#include "handles.h"
#undef BAD
};

static void list(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("%s\t%s\t%s\t%s\n", who_names[rows[i].who], rows[i].name, rows[i].routine, rows[i].argument);
}

static void prepare(void)
{
    begin(&me, &npes);
    heap = need(64 * sizeof *heap);
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++) psync[i] = SHMEM_SYNC_VALUE;
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    CHECK(shmem_ctx_create(0, &dead_ctx) == 0);
    shmem_ctx_destroy(dead_ctx);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team) == 0);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &dead_team) == 0);
    shmem_team_destroy(dead_team);
    shmem_barrier_all();
}

int main(int count, char **args)
{
    long here[64] = {0};
    if (count != 2) return 2;
    if (strcmp(args[1], "--list") == 0) return list(), 0;
    const struct row *row = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, args[1]) == 0) row = &rows[i];
    if (row == NULL) return 2;
    prepare();
    stack = here;
    if (row->who == ALL || me == 1) row->act();
    shmem_barrier_all();
    end();
    return 0;
}
