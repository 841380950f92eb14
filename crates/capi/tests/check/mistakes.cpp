/* Incorrect C++ programs, one a function, for three PEs; see mistakes.c. */
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <shmem.h>
#include <thread>
#include <vector>

static int me, pes;
static volatile long sink;

/* Objects that a C++ program would have: an object in symmetric memory, and a block accessed by its type. */
struct Cell {
    int value;
    int read() const { return value; /*!*/ }
};

template <typename T> static T *allocate(std::size_t count)
{
    return static_cast<T *>(shmem_malloc(count * sizeof(T)));
}

static Cell cell;

static void member_read_beside_a_put(void)
{
    if (me == 0)
        shmem_int_p(&cell.value, 1, 1); /*!*/
    if (me == 1)
        sink = cell.read();
}

static void vector_changed_too_early(void)
{
    static int x[8];
    std::vector<int> source(8, me);
    if (me == 0) {
        shmem_int_put_nbi(x, source.data(), source.size(), 1); /*!*/
        source[3] = 5; /*!*/
        shmem_quiet();
    }
}

static void lambda_reads_too_early(void)
{
    static int x;
    int got = 0;
    auto use = [&got] { return got + 1; /*!*/ };
    if (me == 0) {
        shmem_int_get_nbi(&got, &x, 1, 1); /*!*/
        sink = use();
        shmem_quiet();
    }
}

static void array_without_fence(void)
{
    static std::array<long, 4> data;
    static std::uint64_t flag;
    if (me == 0) {
        shmem_long_p(&data[2], 7, 1); /*!*/
        shmem_uint64_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_uint64_wait_until(&flag, SHMEM_CMP_EQ, 1);
        sink = data[2]; /*!*/
    }
}

static void result_read_by_another_thread(void)
{
    static int x;
    auto got = std::make_unique<int>(0);
    if (me != 0)
        return;
    shmem_int_get_nbi(got.get(), &x, 1, 1); /*!*/
    std::thread reader([&got] {
        sink = *got; /*!*/
    });
    reader.join();
    shmem_quiet();
}

static void context_of_two_threads(void)
{
    static int x;
    static shmem_ctx_t ctx;
    if (me != 0)
        return;
    shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx);
    std::thread other([] {
        shmem_ctx_int_p(ctx, &x, 1, 0); /*!*/
    });
    shmem_ctx_quiet(ctx); /*!*/
    other.join();
    shmem_ctx_destroy(ctx);
}

static void a_mutex_of_each_thread(void)
{
    static int x, got;
    static std::mutex one, two;
    if (me != 0)
        return;
    std::thread other([] {
        std::lock_guard<std::mutex> turn(one);
        shmem_int_get(&got, &x, 1, 1);
        shmem_quiet();
    });
    {
        std::lock_guard<std::mutex> turn(two);
        got = 5;
    }
    other.join();
    shmem_int_get_nbi(&got, &x, 1, 1); /*!*/
    got = 6; /*!*/
    shmem_quiet();
}

static void object_put_beyond_the_block(void)
{
    std::array<double, 6> values{};
    auto *block = allocate<double>(5);
    if (me == 0)
        shmem_double_put(block, values.data(), values.size(), 1); /*!*/
    shmem_barrier_all();
    shmem_free(block);
}

struct row {
    const char *name, *kind, *weight;
    void (*act)(void);
};
#define MILD(kind, act) {#act, kind, "mild", act}

static const row rows[] = {
    MILD("race", member_read_beside_a_put),
    MILD("race", vector_changed_too_early),
    MILD("race", lambda_reads_too_early),
    MILD("race", array_without_fence),
    MILD("race", result_read_by_another_thread),
    MILD("thread", context_of_two_threads),
    MILD("race", a_mutex_of_each_thread),
    MILD("range", object_put_beyond_the_block),
};

int main(int argc, char **argv)
{
    if (argc > 1 && !std::strcmp(argv[1], "--list")) {
        for (const row &one : rows)
            std::printf("%s\t%s\t%s\n", one.name, one.kind, one.weight);
        return 0;
    }
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    pes = shmem_n_pes();
    for (const row &one : rows) {
        shmem_barrier_all();
        one.act();
        shmem_barrier_all();
    }
    shmem_finalize();
}
