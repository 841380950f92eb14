// Incorrect C++ programs: one for each name. `tests/stalls.rs` has the expected report of each.
#include <cstring>
#include <shmem.h>
#include <stdexcept>
#include <vector>

static long flag, source[8], dest[64];
static int me;

// An instance of a template waits where the others do not.
template <typename T> __attribute__((noinline)) void wait_for(T *variable, T value) {
    shmem_wait_until(variable, SHMEM_CMP_EQ, value);
}

static void waits_in_a_template() {
    if (me == 1) wait_for(&flag, 1L);
    shmem_barrier_all();
}

// A destructor's work is not done if the scope was left for another one.
struct Phase {
    ~Phase() { shmem_barrier_all(); }
};

static void leaves_a_scope_by_an_exception() {
    try {
        if (me == 1) throw std::runtime_error("before the phase");
        Phase phase;
    } catch (const std::exception &) {
        shmem_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 2);
    }
    shmem_barrier_all();
}

// The overload is chosen by the type of the memory: the sizes differ.
template <typename T> void gather(T *to, const T *from) { shmem_fcollect(SHMEM_TEAM_WORLD, to, from, 4); }

static void gathers_another_type() {
    if (me == 1)
        gather(reinterpret_cast<short *>(dest), reinterpret_cast<short *>(source));
    else
        gather(dest, source);
    shmem_barrier_all();
}

static void throws_what_nobody_catches() {
    std::vector<int> cells(4);
    if (me == 1) cells.at(7) = 1;
    shmem_barrier_all();
}

static const struct {
    const char *name;
    void (*run)();
} programs[] = {
    {"waits in a template", waits_in_a_template},
    {"leaves a scope by an exception", leaves_a_scope_by_an_exception},
    {"gathers another type", gathers_another_type},
    {"throws what nobody catches", throws_what_nobody_catches},
};

int main(int argc, char **argv) {
    shmem_init();
    me = shmem_my_pe();
    for (const auto &program : programs)
        if (argc > 1 && std::strcmp(argv[1], program.name) == 0) program.run();
    shmem_finalize();
}
