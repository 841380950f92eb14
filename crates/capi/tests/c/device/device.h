/* Device memory for the programs of this topic: the driver's own allocations and copies, beside the library's. The driver is opened as
 * the library opens it, so that the programs need no CUDA at build time. */
#ifndef DEVICE_H
#define DEVICE_H

#include "check.h"
#include <dlfcn.h>
#include <shmemg.h>

typedef unsigned long long device_ptr;

static struct {
    int (*init)(unsigned);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    int (*alloc)(device_ptr *, size_t);
    int (*to_device)(device_ptr, const void *, size_t);
    int (*to_host)(void *, device_ptr, size_t);
} driver;

static inline void *driver_function(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (function == NULL) FAIL("the driver has no %s", name);
    return function;
}

#define DRIVER(call)                                                                                                   \
    do {                                                                                                               \
        int status_ = driver.call;                                                                                     \
        if (status_ != 0) FAIL("%s: status %d", #call, status_);                                                       \
    } while (0)

static inline void open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL) FAIL("%s", dlerror());
    *(void **)&driver.init = driver_function(library, "cuInit");
    *(void **)&driver.retain = driver_function(library, "cuDevicePrimaryCtxRetain");
    *(void **)&driver.set_current = driver_function(library, "cuCtxSetCurrent");
    *(void **)&driver.alloc = driver_function(library, "cuMemAlloc_v2");
    *(void **)&driver.to_device = driver_function(library, "cuMemcpyHtoD_v2");
    *(void **)&driver.to_host = driver_function(library, "cuMemcpyDtoH_v2");
    void *context;
    DRIVER(init(0));
    DRIVER(retain(&context, 0));
    DRIVER(set_current(context));
}

/* Start with device memory, which must be granted. */
static inline void begin_device(int *me, int *npes)
{
    open_driver();
    int provided = -1;
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_SINGLE | SHMEM_DEVICE_HOST_INIT, &provided), 0);
    *me = shmem_my_pe();
    *npes = shmem_n_pes();
    *check_pe() = *me;
    CHECK_EQ(provided, SHMEM_THREAD_SINGLE | SHMEM_DEVICE_HOST_INIT);
}

/* Device memory that is not symmetric. */
static inline void *device_alloc(size_t bytes)
{
    device_ptr block;
    DRIVER(alloc(&block, bytes));
    return (void *)block;
}

static inline void *need_device(size_t bytes)
{
    void *block = shmemg_malloc(bytes);
    if (block == NULL) FAIL("shmemg_malloc(%zu) is NULL", bytes);
    return block;
}

/* Copies by the driver, whichever memory `block` is in. */
static inline void write_to(void *block, int on_device, const void *from, size_t bytes)
{
    if (on_device) DRIVER(to_device((device_ptr)block, from, bytes));
    else memcpy(block, from, bytes);
}

static inline void read_from(void *to, const void *block, int on_device, size_t bytes)
{
    if (on_device) DRIVER(to_host(to, (device_ptr)block, bytes));
    else memcpy(to, block, bytes);
}

/* The kinds of memory in which the specification allows operands: the first ones for symmetric operands, all of them for local ones. */
enum { HOST_HEAP, STATICS, DEVICE_HEAP, SYMMETRIC, DEVICE_MEMORY = SYMMETRIC, PRIVATE, PLACES };

struct place {
    const char *name;
    void *at;
    int on_device;
};

/* Zeroed memory of the first `count` kinds. `statics` are the program's. */
static inline void make_places(struct place *places, int count, void *statics, size_t bytes)
{
    for (int kind = 0; kind < count; kind++) {
        struct place *place = &places[kind];
        place->on_device = kind == DEVICE_HEAP || kind == DEVICE_MEMORY;
        switch (kind) {
        case HOST_HEAP: place->name = "host heap", place->at = need(bytes); break;
        case STATICS: place->name = "statics", place->at = statics; break;
        case DEVICE_HEAP: place->name = "device heap", place->at = need_device(bytes); break;
        case DEVICE_MEMORY: place->name = "device memory", place->at = device_alloc(bytes); break;
        case PRIVATE: place->name = "private memory", place->at = malloc(bytes); break;
        }
        void *zeros = calloc(1, bytes);
        write_to(place->at, place->on_device, zeros, bytes);
        free(zeros);
    }
}

#endif
