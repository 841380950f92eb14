/* Functions that a program compiled by `oshcc --check` calls at each load and store, and around operations that order its threads.
 *
 * With -fsanitize=thread, gcc, clang and gfortran generate calls of functions with these names. Here they report to the library the
 * access and the address of the instruction that makes it. `oshcc --check` links this file to the program, with --wrap for the
 * functions whose names begin with __wrap_. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <malloc.h>

/* The memory that is checked; all other accesses end here. Checked memory is `below` an address, and little other memory is. */
struct watched {
    uintptr_t base, len, statics, statics_len, all;
    uintptr_t below;
};
const struct watched *ferrite_check_instrumented(void);
void ferrite_check_access(const void *address, size_t len, unsigned flags, const void *pc);
void ferrite_check_leave(const void *key);
void ferrite_check_take(const void *key);
void ferrite_check_forget(const void *address, size_t len);
void ferrite_check_part(int begins);

enum { READS = 0, WRITES = 1, ATOMIC = 2 };

#define HERE __builtin_return_address(0)

static const struct watched nothing;
static const struct watched *watched = &nothing;

void __tsan_init(void) { watched = ferrite_check_instrumented(); }

/* The compiler jumps to this function instead of calling it, so the return address is in the program. */
static __attribute__((noinline)) void look_closer(const void *address, size_t len, unsigned flags)
{
    const uintptr_t at = (uintptr_t)address;
    if (at - watched->base < watched->len || at - watched->statics < watched->statics_len || watched->all)
        ferrite_check_access(address, len, flags, HERE);
}

/* Most accesses are of memory that no other PE or thread can access, and must cost almost nothing: one comparison. */
static inline __attribute__((always_inline)) void look(const void *address, size_t len, unsigned flags)
{
    if (__builtin_expect((uintptr_t)address < watched->below, 0))
        look_closer(address, len, flags);
}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}

#define PLAIN(size)                                                                                        \
    void __tsan_read##size(void *at) { look(at, size, READS); }                     \
    void __tsan_write##size(void *at) { look(at, size, WRITES); }                   \
    void __tsan_read_write##size(void *at) { look(at, size, WRITES); }              \
    void __tsan_unaligned_read##size(void *at) { look(at, size, READS); }           \
    void __tsan_unaligned_write##size(void *at) { look(at, size, WRITES); }         \
    void __tsan_unaligned_read_write##size(void *at) { look(at, size, WRITES); }    \
    void __tsan_volatile_read##size(void *at) { look(at, size, READS); }            \
    void __tsan_volatile_write##size(void *at) { look(at, size, WRITES); }          \
    void __tsan_unaligned_volatile_read##size(void *at) { look(at, size, READS); }  \
    void __tsan_unaligned_volatile_write##size(void *at) { look(at, size, WRITES); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *at, size_t len) { look(at, len, READS); }
void __tsan_write_range(void *at, size_t len) { look(at, len, WRITES); }
void __tsan_vptr_read(void **at) { look(at, sizeof *at, READS); }
void __tsan_vptr_update(void **at, void *value)
{
    (void)value;
    look(at, sizeof *at, WRITES);
}

/* Atomics of the language: they are executed here with the strongest memory order, which includes the requested one. */
#define ATOMICS(bits, type)                                                                                \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)                                    \
    {                                                                                                      \
        (void)order;                                                                                       \
        type value = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                \
        ferrite_check_access((const void *)at, sizeof *at, ATOMIC, HERE);                                  \
        return value;                                                                                      \
    }                                                                                                      \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                             \
    {                                                                                                      \
        (void)order;                                                                                       \
        ferrite_check_access((const void *)at, sizeof *at, ATOMIC | WRITES, HERE);                         \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                     \
    }                                                                                                      \
    UPDATE(bits, type, exchange, __atomic_exchange_n)                                                      \
    UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                                      \
    UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                                      \
    UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                                      \
    UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                                        \
    UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                                      \
    UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                                    \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *at, type *old, type value, int order, int failed) \
    {                                                                                                      \
        (void)order, (void)failed;                                                                         \
        ferrite_check_access((const void *)at, sizeof *at, ATOMIC | WRITES, HERE);                         \
        int done = __atomic_compare_exchange_n(at, old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
        ferrite_check_access((const void *)at, sizeof *at, ATOMIC, HERE);                                  \
        return done;                                                                                       \
    }                                                                                                      \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *at, type *old, type value, int order, int failed) \
    {                                                                                                      \
        (void)order, (void)failed;                                                                         \
        ferrite_check_access((const void *)at, sizeof *at, ATOMIC | WRITES, HERE);                         \
        int done = __atomic_compare_exchange_n(at, old, value, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
        ferrite_check_access((const void *)at, sizeof *at, ATOMIC, HERE);                                  \
        return done;                                                                                       \
    }                                                                                                      \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type old, type value, int order, int failed) \
    {                                                                                                      \
        (void)order, (void)failed;                                                                         \
        ferrite_check_access((const void *)at, sizeof *at, ATOMIC | WRITES, HERE);                         \
        __atomic_compare_exchange_n(at, &old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
        ferrite_check_access((const void *)at, sizeof *at, ATOMIC, HERE);                                  \
        return old;                                                                                        \
    }

#define UPDATE(bits, type, name, builtin)                                                                  \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)                            \
    {                                                                                                      \
        (void)order;                                                                                       \
        ferrite_check_access((const void *)at, sizeof *at, ATOMIC | WRITES, HERE);                         \
        type old = builtin(at, value, __ATOMIC_SEQ_CST);                                                   \
        ferrite_check_access((const void *)at, sizeof *at, ATOMIC, HERE);                                  \
        return old;                                                                                        \
    }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Copies for which the compiler calls the C library. */
void *__real_memcpy(void *to, const void *from, size_t len);
void *__real_memmove(void *to, const void *from, size_t len);
void *__real_memset(void *to, int byte, size_t len);

void *__wrap_memcpy(void *to, const void *from, size_t len)
{
    ferrite_check_access(from, len, READS, HERE);
    ferrite_check_access(to, len, WRITES, HERE);
    return __real_memcpy(to, from, len);
}
void *__wrap_memmove(void *to, const void *from, size_t len)
{
    ferrite_check_access(from, len, READS, HERE);
    ferrite_check_access(to, len, WRITES, HERE);
    return __real_memmove(to, from, len);
}
void *__wrap_memset(void *to, int byte, size_t len)
{
    ferrite_check_access(to, len, WRITES, HERE);
    return __real_memset(to, byte, len);
}

/* The same, with the names that newer versions of clang call. */
void *__tsan_memcpy(void *to, const void *from, size_t len) __attribute__((alias("__wrap_memcpy")));
void *__tsan_memmove(void *to, const void *from, size_t len) __attribute__((alias("__wrap_memmove")));
void *__tsan_memset(void *to, int byte, size_t len) __attribute__((alias("__wrap_memset")));

/* Memory that becomes another object. */
void __real_free(void *block);
void *__real_realloc(void *block, size_t len);

void __wrap_free(void *block)
{
    if (block)
        ferrite_check_forget(block, malloc_usable_size(block));
    __real_free(block);
}
void *__wrap_realloc(void *block, size_t len)
{
    if (block)
        ferrite_check_forget(block, malloc_usable_size(block));
    return __real_realloc(block, len);
}

/* C++'s delete. The functions are weak, since a program in C has none of them. */
#define DELETES(name)                                                    \
    void __real_##name(void *block) __attribute__((weak));               \
    void __wrap_##name(void *block)                                      \
    {                                                                    \
        if (block)                                                       \
            ferrite_check_forget(block, malloc_usable_size(block));      \
        __real_##name(block);                                            \
    }
#define DELETES_SIZED(name)                                              \
    void __real_##name(void *block, size_t len) __attribute__((weak));   \
    void __wrap_##name(void *block, size_t len)                          \
    {                                                                    \
        if (block)                                                       \
            ferrite_check_forget(block, len);                            \
        __real_##name(block, len);                                       \
    }
DELETES(_ZdlPv)
DELETES(_ZdaPv)
DELETES_SIZED(_ZdlPvm)
DELETES_SIZED(_ZdaPvm)

/* Threads. */
struct thread {
    void *(*begin)(void *);
    void *argument;
};

/* The key at which a thread publishes its clock when it ends. */
static void *key_of(pthread_t thread) { return (void *)((uintptr_t)thread + 1); }

static void *run_thread(void *given)
{
    struct thread thread = *(struct thread *)given;
    ferrite_check_take(given);
    __real_free(given);
    /* The stack of this thread may have been another thread's. */
    uintptr_t top = (uintptr_t)__builtin_frame_address(0);
    ferrite_check_forget((void *)(top - 65536), 65536);
    void *result = thread.begin(thread.argument);
    ferrite_check_leave(key_of(pthread_self()));
    return result;
}

/* Threads are started and joined through wrappers of the C library's functions, since C++'s library calls these too. A library
 * other than C++'s that calls them starts its own threads, whose order is not known here: these are not checked. */
typedef int create_thread(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int join_thread(pthread_t, void **);

static int is_of_program(const void *caller)
{
    Dl_info its, ours;
    if (!dladdr(caller, &its) || !dladdr((const void *)is_of_program, &ours))
        return 0;
    if (its.dli_fbase == ours.dli_fbase)
        return 1;
    const char *name = strrchr(its.dli_fname, '/');
    name = name ? name + 1 : its.dli_fname;
    return !strncmp(name, "libstdc++", 9) || !strncmp(name, "libc++", 6);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *wishes, void *(*begin)(void *), void *argument)
{
    create_thread *create;
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    struct thread *given = is_of_program(HERE) ? malloc(sizeof *given) : NULL;
    if (!given)
        return create(thread, wishes, begin, argument);
    given->begin = begin;
    given->argument = argument;
    ferrite_check_leave(given);
    int failed = create(thread, wishes, run_thread, given);
    if (failed)
        __real_free(given);
    return failed;
}
int pthread_join(pthread_t thread, void **result)
{
    join_thread *join;
    *(void **)&join = dlsym(RTLD_NEXT, "pthread_join");
    int failed = join(thread, result);
    if (!failed && is_of_program(HERE))
        ferrite_check_take(key_of(thread));
    return failed;
}

#define TAKES(name, type)                    \
    int __real_##name(type *lock);           \
    int __wrap_##name(type *lock)            \
    {                                        \
        int failed = __real_##name(lock);    \
        if (!failed)                         \
            ferrite_check_take((const void *)lock); \
        return failed;                       \
    }
#define LEAVES(name, type)                   \
    int __real_##name(type *lock);           \
    int __wrap_##name(type *lock)            \
    {                                        \
        ferrite_check_leave((const void *)lock); \
        return __real_##name(lock);          \
    }
TAKES(pthread_mutex_lock, pthread_mutex_t)
TAKES(pthread_mutex_trylock, pthread_mutex_t)
LEAVES(pthread_mutex_unlock, pthread_mutex_t)
TAKES(pthread_spin_lock, pthread_spinlock_t)
TAKES(pthread_spin_trylock, pthread_spinlock_t)
LEAVES(pthread_spin_unlock, pthread_spinlock_t)
TAKES(pthread_rwlock_rdlock, pthread_rwlock_t)
TAKES(pthread_rwlock_wrlock, pthread_rwlock_t)
TAKES(pthread_rwlock_tryrdlock, pthread_rwlock_t)
TAKES(pthread_rwlock_trywrlock, pthread_rwlock_t)
TAKES(sem_wait, sem_t)
TAKES(sem_trywait, sem_t)
LEAVES(sem_post, sem_t)
LEAVES(pthread_rwlock_unlock, pthread_rwlock_t)
LEAVES(pthread_cond_signal, pthread_cond_t)
LEAVES(pthread_cond_broadcast, pthread_cond_t)

int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    ferrite_check_leave(mutex);
    int failed = __real_pthread_cond_wait(condition, mutex);
    ferrite_check_take(mutex);
    ferrite_check_take(condition);
    return failed;
}
/* A timed wait holds the mutex again whether or not it timed out. */
int __real_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *limit);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *limit)
{
    ferrite_check_leave(mutex);
    int failed = __real_pthread_cond_timedwait(condition, mutex, limit);
    ferrite_check_take(mutex);
    ferrite_check_take(condition);
    return failed;
}
int __real_pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *) __attribute__((weak));
int __wrap_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *limit)
{
    ferrite_check_leave(mutex);
    int failed = __real_pthread_cond_clockwait(condition, mutex, clock, limit);
    ferrite_check_take(mutex);
    ferrite_check_take(condition);
    return failed;
}

/* An initialiser that runs once is ordered before the return of every caller. */
static __thread void (*once)(void);
static __thread const void *once_key;
static void run_once(void)
{
    const void *key = once_key;
    once();
    ferrite_check_leave(key);
}
int __real_pthread_once(pthread_once_t *control, void (*begin)(void));
int __wrap_pthread_once(pthread_once_t *control, void (*begin)(void))
{
    void (*outer)(void) = once;
    const void *outer_key = once_key;
    once = begin;
    once_key = control;
    int failed = __real_pthread_once(control, run_once);
    once = outer;
    once_key = outer_key;
    ferrite_check_take(control);
    return failed;
}

/* C++: condition variables, with locks whose first member is the mutex, and static variables of functions, which the first caller
 * initialises; the compiler itself reads their first byte, atomically. The functions are weak, as above. */
void __real__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *condition, void **lock) __attribute__((weak));
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *condition, void **lock)
{
    ferrite_check_leave(*lock);
    __real__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(condition, lock);
    ferrite_check_take(*lock);
    ferrite_check_take(condition);
}
#define NOTIFIES(name)                                   \
    void __real_##name(void *) __attribute__((weak));    \
    void __wrap_##name(void *condition)                  \
    {                                                    \
        ferrite_check_leave(condition);                  \
        __real_##name(condition);                        \
    }
NOTIFIES(_ZNSt18condition_variable10notify_oneEv)
NOTIFIES(_ZNSt18condition_variable10notify_allEv)

int __real___cxa_guard_acquire(void *guard) __attribute__((weak));
int __wrap___cxa_guard_acquire(void *guard)
{
    int is_first = __real___cxa_guard_acquire(guard);
    if (!is_first)
        ferrite_check_access(guard, 1, ATOMIC, HERE);
    return is_first;
}
void __real___cxa_guard_release(void *guard) __attribute__((weak));
void __wrap___cxa_guard_release(void *guard)
{
    ferrite_check_access(guard, 1, ATOMIC | WRITES, HERE);
    __real___cxa_guard_release(guard);
}

int __real_pthread_barrier_wait(pthread_barrier_t *barrier);
int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier)
{
    ferrite_check_leave(barrier);
    int result = __real_pthread_barrier_wait(barrier);
    ferrite_check_take(barrier);
    return result;
}

/* OpenMP, with gcc's library. The functions are weak, since a program without OpenMP has none of them. */
struct parallel {
    void (*begin)(void *);
    void *data;
};

/* The parallel region of this thread. Its bytes are the keys at which threads publish their clocks: before the region, at barriers
 * in it, and at its end. They are separate, since a thread that begins late must not take a clock published after its start. */
static __thread struct parallel *region;
static char outside, critical, ordered, tasks_made, tasks_done;

enum { BEFORE, WITHIN, AFTER };

static const void *key_in(struct parallel *of, int which) { return of ? (const char *)of + which : &outside; }

static void run_parallel(void *given)
{
    struct parallel *before = region;
    ferrite_check_take(key_in(given, BEFORE));
    region = given;
    region->begin(region->data);
    ferrite_check_leave(key_in(given, AFTER));
    region = before;
}

/* Run a region by `call`, with its function and data replaced, and order it after the code before it and before the code after it. */
#define REGION(call)                          \
    struct parallel one = {begin, data};      \
    ferrite_check_leave(key_in(&one, BEFORE)); \
    call;                                     \
    ferrite_check_take(key_in(&one, AFTER));  \
    ferrite_check_take(&tasks_done)

typedef void body(void *);

void __real_GOMP_parallel(body *, void *, unsigned, unsigned) __attribute__((weak));
void __wrap_GOMP_parallel(body *begin, void *data, unsigned threads, unsigned flags)
{
    REGION(__real_GOMP_parallel(run_parallel, &one, threads, flags));
}
unsigned __real_GOMP_parallel_reductions(body *, void *, unsigned, unsigned) __attribute__((weak));
unsigned __wrap_GOMP_parallel_reductions(body *begin, void *data, unsigned threads, unsigned flags)
{
    unsigned result;
    REGION(result = __real_GOMP_parallel_reductions(run_parallel, &one, threads, flags));
    return result;
}
void __real_GOMP_parallel_sections(body *, void *, unsigned, unsigned, unsigned) __attribute__((weak));
void __wrap_GOMP_parallel_sections(body *begin, void *data, unsigned threads, unsigned count, unsigned flags)
{
    REGION(__real_GOMP_parallel_sections(run_parallel, &one, threads, count, flags));
}

#define PARALLEL_LOOP(name)                                                                                \
    void __real_GOMP_parallel_loop_##name(body *, void *, unsigned, long, long, long, long, unsigned) __attribute__((weak)); \
    void __wrap_GOMP_parallel_loop_##name(body *begin, void *data, unsigned threads, long from, long to, long by, long chunk, unsigned flags) \
    {                                                                                                      \
        REGION(__real_GOMP_parallel_loop_##name(run_parallel, &one, threads, from, to, by, chunk, flags)); \
    }
PARALLEL_LOOP(static)
PARALLEL_LOOP(dynamic)
PARALLEL_LOOP(guided)
PARALLEL_LOOP(nonmonotonic_dynamic)
PARALLEL_LOOP(nonmonotonic_guided)

#define PARALLEL_RUNTIME(name)                                                                             \
    void __real_GOMP_parallel_loop_##name(body *, void *, unsigned, long, long, long, unsigned) __attribute__((weak)); \
    void __wrap_GOMP_parallel_loop_##name(body *begin, void *data, unsigned threads, long from, long to, long by, unsigned flags) \
    {                                                                                                      \
        REGION(__real_GOMP_parallel_loop_##name(run_parallel, &one, threads, from, to, by, flags));        \
    }
PARALLEL_RUNTIME(runtime)
PARALLEL_RUNTIME(maybe_nonmonotonic_runtime)

/* Constructs that end in a barrier. */
#define MEETS(name)                           \
    void __real_##name(void) __attribute__((weak)); \
    void __wrap_##name(void)                  \
    {                                         \
        const void *key = key_in(region, WITHIN); \
        ferrite_check_leave(key);             \
        __real_##name();                      \
        ferrite_check_take(key);              \
        ferrite_check_take(&tasks_done);      \
    }
MEETS(GOMP_barrier)
MEETS(GOMP_loop_end)
MEETS(GOMP_sections_end)

/* Sections: any thread may run any of them, and one thread may run all. */
unsigned __real_GOMP_sections_start(unsigned) __attribute__((weak));
unsigned __wrap_GOMP_sections_start(unsigned count)
{
    unsigned section = __real_GOMP_sections_start(count);
    ferrite_check_part(section != 0);
    return section;
}
unsigned __real_GOMP_sections_next(void) __attribute__((weak));
unsigned __wrap_GOMP_sections_next(void)
{
    unsigned section = __real_GOMP_sections_next();
    ferrite_check_part(section != 0);
    return section;
}

#define ENTERS(name, key)                     \
    void __real_##name(void) __attribute__((weak)); \
    void __wrap_##name(void)                  \
    {                                         \
        __real_##name();                      \
        ferrite_check_take(key);              \
    }
#define LEAVES_BEFORE(name, key)              \
    void __real_##name(void) __attribute__((weak)); \
    void __wrap_##name(void)                  \
    {                                         \
        ferrite_check_leave(key);             \
        __real_##name();                      \
    }
ENTERS(GOMP_critical_start, &critical)
LEAVES_BEFORE(GOMP_critical_end, &critical)
ENTERS(GOMP_atomic_start, &critical)
LEAVES_BEFORE(GOMP_atomic_end, &critical)
ENTERS(GOMP_ordered_start, &ordered)
LEAVES_BEFORE(GOMP_ordered_end, &ordered)
ENTERS(GOMP_taskwait, &tasks_done)
ENTERS(GOMP_taskgroup_end, &tasks_done)

void __real_GOMP_critical_name_start(void **) __attribute__((weak));
void __wrap_GOMP_critical_name_start(void **name)
{
    __real_GOMP_critical_name_start(name);
    ferrite_check_take(name);
}
void __real_GOMP_critical_name_end(void **) __attribute__((weak));
void __wrap_GOMP_critical_name_end(void **name)
{
    ferrite_check_leave(name);
    __real_GOMP_critical_name_end(name);
}
void __real_omp_set_lock(void *) __attribute__((weak));
void __wrap_omp_set_lock(void *lock)
{
    __real_omp_set_lock(lock);
    ferrite_check_take(lock);
}
void __real_omp_unset_lock(void *) __attribute__((weak));
void __wrap_omp_unset_lock(void *lock)
{
    ferrite_check_leave(lock);
    __real_omp_unset_lock(lock);
}

/* The data of a task follow this head; the library copies both. */
struct task {
    body *begin;
    void (*copy)(void *, void *);
    void *data;
    const void *key;
    size_t head;
};

static void run_task(void *given)
{
    struct task *task = given;
    ferrite_check_take(task->key);
    task->begin((char *)given + task->head);
    ferrite_check_leave(&tasks_done);
}
static void copy_task(void *to, void *from)
{
    struct task *task = from;
    __real_memcpy(to, task, sizeof *task);
    task->copy((char *)to + task->head, task->data);
}

void __real_GOMP_task(body *, void *, void (*)(void *, void *), long, long, _Bool, unsigned, void **, int, void *) __attribute__((weak));
void __wrap_GOMP_task(body *begin, void *data, void (*copy)(void *, void *), long size, long align, _Bool now, unsigned flags,
                      void **depend, int priority, void *detach)
{
    size_t unit = align > (long)_Alignof(max_align_t) ? (size_t)align : _Alignof(max_align_t);
    size_t head = (sizeof(struct task) + unit - 1) / unit * unit;
    /* If the library copies the data itself, they follow the head; otherwise it copies only the head, and calls the program's
     * function for the data. */
    char *both = aligned_alloc(unit, (head + (size_t)size + unit - 1) / unit * unit);
    if (!both) {
        __real_GOMP_task(begin, data, copy, size, align, now, flags, depend, priority, detach);
        return;
    }
    struct task *task = (struct task *)both;
    *task = (struct task){begin, copy, data, &tasks_made, head};
    if (!copy)
        __real_memcpy(both + head, data, (size_t)size);
    ferrite_check_leave(task->key);
    __real_GOMP_task(run_task, both, copy ? copy_task : NULL, (long)head + size, (long)unit, now, flags, depend, priority, detach);
    __real_free(both);
}
