/* put and get of device memory, beside the driver's own copies between the same buffers and beside puts between host memory. PE 0
 * works. `own` is PE 0's memory on both sides, `peer` is PE 1's on the other side. The driver is opened at run time. */
#include "bench.h"

#include <dlfcn.h>
#include <shmemg.h>

typedef unsigned long long device_ptr;

static struct {
    int (*init)(unsigned);
    int (*name)(char *, int, int);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    int (*to_device)(device_ptr, const void *, size_t, void *);
    int (*to_host)(void *, device_ptr, size_t, void *);
    int (*on_device)(device_ptr, device_ptr, size_t, void *);
    int (*synchronize)(void *);
} driver;

/* Open the driver and make the first device current. Returns what is missing, or NULL. */
static const char *open_driver(char *name, int len)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return "libcuda.so.1 cannot be loaded";
    const struct {
        void *to;
        const char *name;
    } functions[] = {
        {&driver.init, "cuInit"},
        {&driver.name, "cuDeviceGetName"},
        {&driver.retain, "cuDevicePrimaryCtxRetain"},
        {&driver.set_current, "cuCtxSetCurrent"},
        {&driver.to_device, "cuMemcpyHtoDAsync_v2"},
        {&driver.to_host, "cuMemcpyDtoHAsync_v2"},
        {&driver.on_device, "cuMemcpyDtoDAsync_v2"},
        {&driver.synchronize, "cuStreamSynchronize"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!(*(void **)functions[i].to = dlsym(library, functions[i].name)))
            return functions[i].name;
    void *context;
    if (driver.init(0) != 0 || driver.name(name, len, 0) != 0)
        return "CUDA finds no device";
    return driver.retain(&context, 0) == 0 && driver.set_current(context) == 0 ? NULL : "the device has no context";
}

struct transfer {
    void *to;
    const void *from;
    size_t bytes;
    int pe, from_device, to_device;
};

static void put(long n, void *arg)
{
    const struct transfer *t = arg;
    for (long i = 0; i < n; i++) {
        shmem_putmem(t->to, t->from, t->bytes, t->pe);
        shmem_quiet();
    }
}

static void get(long n, void *arg)
{
    const struct transfer *t = arg;
    for (long i = 0; i < n; i++)
        shmem_getmem(t->to, t->from, t->bytes, t->pe);
}

static void copy(long n, void *arg)
{
    const struct transfer *t = arg;
    for (long i = 0; i < n; i++) {
        int status = !t->to_device ? driver.to_host(t->to, (device_ptr)t->from, t->bytes, NULL)
            : t->from_device       ? driver.on_device((device_ptr)t->to, (device_ptr)t->from, t->bytes, NULL)
                                   : driver.to_device((device_ptr)t->to, t->from, t->bytes, NULL);
        if (status != 0 || (status = driver.synchronize(NULL)) != 0) {
            fprintf(stderr, "a copy of %zu bytes by the driver failed: status %d\n", t->bytes, status);
            shmem_global_exit(1);
        }
    }
}

static void report(const char *call, int pe, batch_body body, struct transfer t)
{
    const char *memory[] = {"host", "device"};
    char test[64];
    snprintf(test, sizeof test, "%s_%s_%s_%s", call, pe == 0 ? "own" : "peer", memory[t.from_device], memory[t.to_device]);
    bench_report(test, t.bytes, bench_alone_ns(body, &t), "ns");
}

/* All operations between two kinds of memory: `from` and `to` are indexed by 0 for the host, 1 for the device. */
static void pair(int pe, size_t bytes, void *const local[], void *const symmetric[], int from, int to)
{
    struct transfer t = {symmetric[to], local[from], bytes, pe, from, to};
    report("put", pe, put, t);
    void *mapped = shmem_ptr(t.to, pe);
    if (bench_agree(mapped != NULL) && (from || to)) {
        t.to = mapped;
        report("copy", pe, copy, t);
    }
    if (pe != 0) {
        t.to = local[to], t.from = symmetric[from];
        report("get", pe, get, t);
    }
}

int main(int argc, char **argv)
{
    char name[128] = "";
    const char *missing = open_driver(name, sizeof name);
    if (missing) {
        shmem_init();
        if (shmem_my_pe() == 0)
            printf("skipped device: no GPU (%s)\n", missing);
        shmem_finalize();
        return 0;
    }
    bench_start_at(argc, argv, SHMEM_THREAD_SINGLE | SHMEM_DEVICE_HOST_INIT);
    bench_need_pes(2);
    size_t max = bench_size_max(argc, argv, 8);
    void *local[] = {bench_private(max), shmemg_malloc(max)};
    void *symmetric[] = {bench_symmetric(max), shmemg_malloc(max)};
    if (!local[1] || !symmetric[1]) {
        fprintf(stderr, "no device memory for twice %zu bytes; raise SHMEM_DEVICE_SYMMETRIC_SIZE\n", max);
        shmem_global_exit(1);
    }
    if (bench.me == 0)
        printf("device %s\n", name);
    size_t bytes;
    for (int i = 0; (bytes = bench_size(argc, argv, i, 8)) != 0; i++)
        for (int pe = 0; pe < 2; pe++)
            for (int kinds = 0; kinds < 4; kinds++)
                pair(pe, bytes, local, symmetric, kinds / 2, kinds % 2);
    shmemg_free(symmetric[1]);
    shmem_free(symmetric[0]);
    shmemg_free(local[1]);
    free(local[0]);
    bench_end();
    return 0;
}
