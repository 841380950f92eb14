/* The calls of crates/ferrite/examples/calls.rs in C. Argument: the number of calls of each. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 8 };

static struct {
    int right;
    uint64_t own[WORDS];
    uint64_t *source, *dest, *many, *all, *signal;
} m;

#define MEASURED(name, ...)                                                                                            \
    __attribute__((noinline)) static void measured_##name(long times)                                                  \
    {                                                                                                                  \
        for (long i = 0; i < times; i++) {                                                                             \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    }

MEASURED(nothing, __asm__ volatile("" ::: "memory"))
MEASURED(get, shmem_uint64_get(m.own, m.source, WORDS, m.right))
MEASURED(put, shmem_uint64_put(m.dest, m.own, WORDS, m.right))
MEASURED(put_nbi, shmem_uint64_put_nbi(m.dest, m.own, WORDS, m.right); shmem_quiet())
MEASURED(put_signal, shmem_uint64_put_signal(m.dest, m.own, WORDS, m.signal, 1, SHMEM_SIGNAL_SET, m.right))
MEASURED(barrier, shmem_barrier_all())
MEASURED(sync, shmem_team_sync(SHMEM_TEAM_WORLD))
MEASURED(broadcast, shmem_uint64_broadcast(SHMEM_TEAM_WORLD, m.dest, m.source, WORDS, 0))
MEASURED(fcollect, shmem_uint64_fcollect(SHMEM_TEAM_WORLD, m.all, m.source, WORDS))
MEASURED(collect, shmem_uint64_collect(SHMEM_TEAM_WORLD, m.all, m.source, WORDS))
MEASURED(alltoall, shmem_uint64_alltoall(SHMEM_TEAM_WORLD, m.all, m.many, WORDS))
MEASURED(sum_reduce, shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, m.dest, m.source, WORDS))
MEASURED(sum_inscan, shmem_uint64_sum_inscan(SHMEM_TEAM_WORLD, m.dest, m.source, WORDS))

static void (*const calls[])(long times) = {
    measured_nothing,  measured_get,       measured_put,      measured_put_nbi, measured_put_signal,
    measured_barrier,  measured_sync,      measured_broadcast, measured_fcollect, measured_collect,
    measured_alltoall, measured_sum_reduce, measured_sum_inscan,
};

int main(int argc, char **argv)
{
    long times = argc == 2 ? atol(argv[1]) : 0;
    if (times < 1) {
        fprintf(stderr, "usage: %s TIMES\n", argv[0]);
        return 2;
    }
    shmem_init();
    size_t block = (size_t)(WORDS * shmem_n_pes());
    m.right = (shmem_my_pe() + 1) % shmem_n_pes();
    m.source = shmem_calloc(WORDS, sizeof *m.source);
    m.dest = shmem_calloc(WORDS, sizeof *m.dest);
    m.many = shmem_calloc(block, sizeof *m.many);
    m.all = shmem_calloc(block, sizeof *m.all);
    m.signal = shmem_calloc(1, sizeof *m.signal);
    if (!m.source || !m.dest || !m.many || !m.all || !m.signal) {
        fprintf(stderr, "%s: no symmetric memory\n", argv[0]);
        shmem_global_exit(1);
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        shmem_barrier_all();
        calls[i](times);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
