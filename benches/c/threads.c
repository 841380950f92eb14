/* How the rate of small operations grows with the threads of PE 0, for each kind of context: one shared by all threads (the
 * default one), a serialized one for each, a private one for each. Every thread has its own words on PE 1. Arguments: the
 * number of threads for each line. */
#include "bench.h"
#include <pthread.h>

#define THREADS_MAX 64
#define ELEMENTS (BENCH_PAGE / sizeof(long))
#define WINDOW 1024

enum kind { SHARED, SERIALIZED, PRIVATE, KINDS };
static const char *const kinds[KINDS] = {"shared", "serialized", "private"};
enum op { PUT_NBI, P, FETCH_ADD, OPS };
static const char *const ops[OPS] = {"put_nbi", "p", "fetch_add"};

/* The work of the threads between two meetings; the first thread writes it before they meet. */
static struct {
    pthread_barrier_t meeting;
    int threads, over;
    enum kind kind;
    enum op op;
    long each; /* operations of each thread */
    long *dest; /* a page for each thread */
} crew;

static void put_windows(shmem_ctx_t ctx, long *dest, const long *source)
{
    for (long i = 0; i < crew.each; i++) {
        unsigned long at = (unsigned long)i % ELEMENTS;
        shmem_ctx_put64_nbi(ctx, &dest[at], &source[at], 1, 1);
        if (i % WINDOW == WINDOW - 1) shmem_ctx_quiet(ctx);
    }
}

static void work(int thread, shmem_ctx_t ctx)
{
    static long source[ELEMENTS];
    long *dest = crew.dest + (size_t)thread * ELEMENTS, sum = 0;
    if (crew.op == PUT_NBI) put_windows(ctx, dest, source);
    else if (crew.op == P)
        for (long i = 0; i < crew.each; i++) shmem_ctx_long_p(ctx, &dest[(unsigned long)i % ELEMENTS], i, 1);
    else
        for (long i = 0; i < crew.each; i++) sum += shmem_ctx_long_atomic_fetch_add(ctx, dest, 1, 1);
    *(volatile long *)&sum = sum;
    shmem_ctx_quiet(ctx);
}

/* Create a context of the kind for the calling thread; 0 if the library has none. */
static int context(shmem_ctx_t *ctx)
{
    *ctx = SHMEM_CTX_DEFAULT;
    if (crew.kind == SHARED) return 1;
    return shmem_ctx_create(crew.kind == PRIVATE ? SHMEM_CTX_PRIVATE : SHMEM_CTX_SERIALIZED, ctx) == 0;
}

static void *member(void *arg)
{
    shmem_ctx_t ctx;
    if (!context(&ctx)) {
        fprintf(stderr, "no %s context for thread %ld\n", kinds[crew.kind], (long)(intptr_t)arg);
        shmem_global_exit(1);
    }
    for (;;) {
        pthread_barrier_wait(&crew.meeting);
        if (crew.over) break;
        work((int)(intptr_t)arg, ctx);
        pthread_barrier_wait(&crew.meeting);
    }
    if (crew.kind != SHARED) shmem_ctx_destroy(ctx);
    return NULL;
}

/* Execute `n` operations, divided among the threads. */
static void together(long n, void *arg)
{
    shmem_ctx_t *mine = arg;
    crew.each = n / crew.threads + 1;
    pthread_barrier_wait(&crew.meeting);
    work(0, *mine);
    pthread_barrier_wait(&crew.meeting);
}

static void measure(int threads)
{
    static char test[64];
    pthread_t others[THREADS_MAX];
    shmem_ctx_t mine;
    crew.threads = threads, crew.over = 0;
    double ns = 0;
    if (bench.me == 0) {
        if (!context(&mine)) shmem_global_exit(1);
        pthread_barrier_init(&crew.meeting, NULL, (unsigned)threads);
        for (int t = 1; t < threads; t++)
            if (pthread_create(&others[t], NULL, member, (void *)(intptr_t)t) != 0) shmem_global_exit(1);
    }
    ns = bench_alone_ns(together, &mine);
    if (bench.me == 0) {
        crew.over = 1;
        pthread_barrier_wait(&crew.meeting);
        for (int t = 1; t < threads; t++) pthread_join(others[t], NULL);
        pthread_barrier_destroy(&crew.meeting);
        if (crew.kind != SHARED) shmem_ctx_destroy(mine);
    }
    snprintf(test, sizeof test, "%s_%s_x%d", ops[crew.op], kinds[crew.kind], threads);
    bench_report(test, sizeof(long), bench_millions(ns), "M/s");
}

int main(int argc, char **argv)
{
    bench_start_at(argc, argv, SHMEM_THREAD_MULTIPLE);
    bench_need_pes(2);
    crew.dest = bench_symmetric((size_t)THREADS_MAX * BENCH_PAGE);
    for (crew.op = 0; crew.op < OPS; crew.op++)
        for (crew.kind = 0; crew.kind < KINDS; crew.kind++)
            for (int i = 3; i < argc; i++) {
                int threads = atoi(argv[i]);
                if (threads < 1 || threads > THREADS_MAX) {
                    fprintf(stderr, "%s threads: from 1 to %d\n", argv[i], THREADS_MAX);
                    shmem_global_exit(2);
                }
                measure(threads);
            }
    shmem_free(crew.dest);
    bench_end();
    return 0;
}
