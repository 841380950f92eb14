/* Code shared by the larger examples: sizes from the command line, the time, sums over all PEs, random numbers, and the
 * line with the program's speed. OpenSHMEM 1.4 is enough; teams (1.5) are used if they exist.
 *
 * A program ends with `finish`: the PEs add up their errors, and PE 0 prints one line of NAME=VALUE words,
 *
 *     figure program=gups value=0.0214 unit=GUP/s seconds=0.0122 pes=4 words=65536 updates=65536
 *
 * or the number of errors on standard error; the status is then 1. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HAVE_TEAMS (SHMEM_MAJOR_VERSION > 1 || (SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION >= 5))

/* A size that the user may set: its name, value, minimum, maximum, and description. */
struct option_row {
    const char *name;
    long value, least, most;
    const char *what;
};

/* End the job if the program cannot continue. */
static inline void give_up(const char *why) {
    fprintf(stderr, "PE %d: %s\n", shmem_my_pe(), why);
    shmem_global_exit(1);
    exit(1);
}

/* The blocks that `symmetric` has allocated; `finish` frees them. */
enum { BLOCKS = 32 };
struct blocks {
    void *at[BLOCKS];
    int count;
};

static inline struct blocks *blocks(void) {
    static struct blocks all;
    return &all;
}

/* Allocate zeroed symmetric memory, which `finish` frees, or end the program. */
static inline void *symmetric(size_t count, size_t size) {
    struct blocks *all = blocks();
    void *memory = all->count < BLOCKS ? shmem_calloc(count > 0 ? count : 1, size) : NULL;
    if (memory == NULL) give_up("there is not enough symmetric memory");
    all->at[all->count++] = memory;
    return memory;
}

/* Allocate private memory. */
static inline void *private_memory(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) give_up("there is not enough memory");
    return memory;
}

static inline void print_help(const char *program, const char *about, const struct option_row *rows, int n) {
    printf("%s: %s\n\nUsage: oshrun -n PES %s [--OPTION NUMBER]...\n\n", program, about, program);
    for (int i = 0; i < n; i++)
        printf("  --%-10s %s, %ld to %ld [default: %ld]\n", rows[i].name, rows[i].what, rows[i].least, rows[i].most,
               rows[i].value);
    printf("  --%-10s this text\n", "help");
}

/* Read `--NAME NUMBER` and `--NAME=NUMBER` from the command line. All PEs have the same arguments, so all end together; PE 0
 * prints the reason. Call it after shmem_init. */
static inline void read_options(int argc, char **argv, const char *program, const char *about, struct option_row *rows,
                                int n) {
    const int speaks = shmem_my_pe() == 0;
    for (int i = 1; i < argc; i++) {
        const char *given = argv[i];
        if (strcmp(given, "--help") == 0) {
            if (speaks) print_help(program, about, rows, n);
            shmem_finalize();
            exit(0);
        }
        struct option_row *row = NULL;
        const char *number = NULL;
        for (int k = 0; k < n && strncmp(given, "--", 2) == 0; k++) {
            const size_t length = strlen(rows[k].name);
            if (strncmp(given + 2, rows[k].name, length) != 0) continue;
            if (given[2 + length] == '=')
                number = given + 2 + length + 1;
            else if (given[2 + length] == '\0')
                number = i + 1 < argc ? argv[++i] : "";
            else
                continue;
            row = &rows[k];
            break;
        }
        char *end = NULL;
        const long value = number != NULL ? strtol(number, &end, 10) : 0;
        if (row == NULL || *number == '\0' || *end != '\0' || value < row->least || value > row->most) {
            if (speaks && row == NULL)
                fprintf(stderr, "%s: there is no option %s; --help lists those there are\n", program, given);
            else if (speaks)
                fprintf(stderr, "%s: --%s is '%s', but should be a number from %ld to %ld\n", program, row->name,
                        number, row->least, row->most);
            shmem_finalize();
            exit(2);
        }
        row->value = value;
    }
}

/* Seconds since some moment, on a monotonic clock. */
static inline double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A stream of 64-bit random numbers: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014). */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

/* The stream of one PE, so that any other can replay it. */
static inline uint64_t random_stream(int pe) {
    uint64_t state = UINT64_C(0x5eed) + (uint64_t)pe;
    return next_random(&state);
}

/* Scale 32 random bits to 0 .. limit - 1 without a division. */
static inline uint64_t below(uint64_t bits, uint64_t limit) {
    return ((bits & UINT64_C(0xffffffff)) * limit) >> 32;
}

#if HAVE_TEAMS
#define REDUCE(TYPE, OPERATION)                                                                                        \
    shmem_##TYPE##_##OPERATION##_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);
#else
#define REDUCE(TYPE, OPERATION)                                                                                        \
    static TYPE work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];                                                                   \
    static long sync[SHMEM_REDUCE_SYNC_SIZE];                                                                          \
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) sync[i] = SHMEM_SYNC_VALUE;                                       \
    shmem_barrier_all();                                                                                               \
    shmem_##TYPE##_##OPERATION##_to_all(&to, &from, 1, 0, 0, shmem_n_pes(), work, sync);
#endif
#define OVER_ALL(NAME, TYPE, OPERATION)                                                                                \
    static inline TYPE NAME(TYPE mine) {                                                                               \
        static TYPE from, to;                                                                                          \
        shmem_barrier_all(); /* no PE is still in the last one */                                                     \
        from = mine;                                                                                                   \
        REDUCE(TYPE, OPERATION)                                                                                        \
        return to;                                                                                                     \
    }
OVER_ALL(sum_over_all, long, sum)
OVER_ALL(max_over_all, long, max)
OVER_ALL(real_sum_over_all, double, sum)
OVER_ALL(real_max_over_all, double, max)

/* Send `words` words of 64 bits from every PE to every PE. */
static inline void exchange_words(void *dest, const void *source, size_t words) {
#if HAVE_TEAMS
    shmem_uint64_alltoall(SHMEM_TEAM_WORLD, dest, source, words);
#else
    static long sync[2][SHMEM_ALLTOALL_SYNC_SIZE];
    static int turn = -1;
    if (turn < 0) {
        for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; i++) sync[0][i] = sync[1][i] = SHMEM_SYNC_VALUE;
        shmem_barrier_all();
    }
    turn = turn != 0 ? 0 : 1;
    shmem_alltoall64(dest, source, words, 0, 0, shmem_n_pes(), sync[turn]);
#endif
}

/* End the program: the errors of all PEs, and the figure that PE 0 computes from the longest time. */
static inline int finish(const char *program, long wrong, double value, const char *unit, double slowest,
                         const struct option_row *rows, int n) {
    wrong = sum_over_all(wrong);
    if (shmem_my_pe() == 0 && wrong != 0) fprintf(stderr, "%s: %ld results are wrong\n", program, wrong);
    if (shmem_my_pe() == 0 && wrong == 0) {
        printf("figure program=%s value=%.6g unit=%s seconds=%.6g pes=%d", program, value, unit, slowest,
               shmem_n_pes());
        for (int i = 0; i < n; i++) printf(" %s=%ld", rows[i].name, rows[i].value);
        printf("\n");
    }
    while (blocks()->count > 0) shmem_free(blocks()->at[--blocks()->count]);
    shmem_finalize();
    return wrong == 0 ? 0 : 1;
}

#define OPTIONS(rows) (int)(sizeof(rows) / sizeof((rows)[0]))

#endif
