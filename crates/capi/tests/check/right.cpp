/* Correct C++ programs, as right.c: the order that C++ threads establish is known. */
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <shmem.h>
#include <thread>
#include <vector>

static int me, pes, next, before;

static void must(bool holds, const char *what)
{
    if (!holds) {
        std::fprintf(stderr, "PE %d: %s\n", me, what);
        shmem_global_exit(1);
    }
}

static void vectors_after_quiet(void)
{
    static int x[64];
    for (int round = 0; round < 8; round++) {
        std::vector<int> source(64, me + round);
        shmem_int_put_nbi(x, source.data(), source.size(), next);
        shmem_quiet();
        source.assign(64, -1);
        shmem_barrier_all();
        must(x[63] == before + round, "a vector's elements");
        shmem_barrier_all();
    }
}

static void threads_joined(void)
{
    static int x[4];
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([i] { shmem_int_p(&x[i], me + i, next); });
    for (auto &thread : threads)
        thread.join();
    shmem_barrier_all();
    must(x[3] == before + 3, "puts of threads that were joined");
}

static void results_handed_on(void)
{
    static int x;
    x = me;
    shmem_barrier_all();
    std::mutex mutex;
    std::condition_variable filled;
    std::queue<std::unique_ptr<int>> results;
    std::thread consumer([&] {
        for (int i = 0; i < 8; i++) {
            std::unique_lock<std::mutex> turn(mutex);
            filled.wait(turn, [&] { return !results.empty(); });
            must(*results.front() == next, "a result that another thread got");
            results.pop();
        }
    });
    for (int i = 0; i < 8; i++) {
        auto got = std::make_unique<int>(-1);
        shmem_int_get_nbi(got.get(), &x, 1, next);
        shmem_quiet();
        {
            std::lock_guard<std::mutex> turn(mutex);
            results.push(std::move(got));
        }
        filled.notify_one();
    }
    consumer.join();
}

static void handed_on_by_an_atomic(void)
{
    static int x;
    x = me;
    shmem_barrier_all();
    int got = -1;
    std::atomic<bool> there{false};
    std::thread reader([&] {
        while (!there.load(std::memory_order_acquire))
            std::this_thread::yield();
        must(got == next, "a result behind an atomic");
    });
    shmem_int_get_nbi(&got, &x, 1, next);
    shmem_quiet();
    there.store(true, std::memory_order_release);
    reader.join();
}

static shmem_ctx_t shared_context()
{
    static const shmem_ctx_t made = [] {
        shmem_ctx_t ctx;
        shmem_ctx_create(0, &ctx);
        return ctx;
    }();
    return made;
}

static void made_once(void)
{
    static int x[2], given;
    static std::once_flag once;
    static int value;
    auto work = [](int i) {
        std::call_once(once, [] { shmem_int_get(&value, &given, 1, next); });
        shmem_ctx_int_p(shared_context(), &x[i], value + i, next);
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    shmem_ctx_quiet(shared_context());
    shmem_sync_all();
    must(x[1] == 1, "what was made once");
    shmem_sync_all();
    shmem_ctx_destroy(shared_context());
}

static void asked_for_later(void)
{
    static int x;
    x = me;
    shmem_barrier_all();
    auto later = std::async(std::launch::async, [] {
        int got;
        shmem_int_get(&got, &x, 1, next);
        return got;
    });
    must(later.get() == next, "what a future brings");
}

static void (*const rows[])(void) = {
    vectors_after_quiet, threads_joined, results_handed_on, handed_on_by_an_atomic, made_once, asked_for_later,
};

int main()
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    pes = shmem_n_pes();
    next = (me + 1) % pes;
    before = (me + pes - 1) % pes;
    for (auto act : rows) {
        shmem_barrier_all();
        act();
        shmem_barrier_all();
    }
    if (me == 0)
        std::printf("%zu right programs\n", sizeof rows / sizeof *rows);
    shmem_finalize();
}
