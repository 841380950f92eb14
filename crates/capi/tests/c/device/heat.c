// Heat on a plate in device memory, a part of its rows on each PE. A kernel computes each step; the PEs put the outer rows of their parts from
// device to device, with a signal on the host. The plate starts as a wave, which the scheme damps by a known factor: every cell is checked.
// The stand-in for the driver has a function of the kernel's name and arithmetic. It executes no PTX: only a GPU tests the text below.
// pes: 1 2 3
// env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
// flags: -ldl -lm
#include "device.h"

#include <math.h>

enum { ROWS = 60, COLUMNS = 50, STEPS = 40, THREADS = 128, NORTH = 0, SOUTH = 1 };

#define PI 3.14159265358979323846

/* next = now + rate * (the four cells around - 4 * now), a thread for each cell inside the rim, which is one cell wide. */
static const char ptx[] =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry heat_step(.param .u64 next, .param .u64 now, .param .u64 columns, .param .u64 rows, .param .f64 rate)\n"
    "{\n"
    "    .reg .pred %beyond;\n"
    "    .reg .b32 %r<3>;\n"
    "    .reg .b64 %rd<13>;\n"
    "    .reg .f64 %fd<7>;\n"
    /* The number of the thread, among all cells. */
    "    mov.u32 %r0, %ctaid.x;\n"
    "    mov.u32 %r1, %ntid.x;\n"
    "    mov.u32 %r2, %tid.x;\n"
    "    cvt.u64.u32 %rd0, %r2;\n"
    "    mad.wide.u32 %rd0, %r0, %r1, %rd0;\n"
    "    ld.param.u64 %rd1, [columns];\n"
    "    ld.param.u64 %rd2, [rows];\n"
    "    mul.lo.u64 %rd3, %rd1, %rd2;\n"
    "    setp.ge.u64 %beyond, %rd0, %rd3;\n"
    "    @%beyond bra done;\n"
    /* The distance of its cell from the first of the rim, in bytes: ((row + 1) * (columns + 2) + column + 1) * 8. */
    "    div.u64 %rd4, %rd0, %rd1;\n"
    "    rem.u64 %rd5, %rd0, %rd1;\n"
    "    add.u64 %rd6, %rd1, 2;\n"
    "    add.u64 %rd4, %rd4, 1;\n"
    "    mad.lo.u64 %rd7, %rd4, %rd6, %rd5;\n"
    "    add.u64 %rd7, %rd7, 1;\n"
    "    shl.b64 %rd7, %rd7, 3;\n"
    "    shl.b64 %rd6, %rd6, 3;\n"
    "    ld.param.u64 %rd8, [now];\n"
    "    cvta.to.global.u64 %rd8, %rd8;\n"
    "    add.u64 %rd8, %rd8, %rd7;\n"
    "    sub.u64 %rd9, %rd8, %rd6;\n"
    "    add.u64 %rd10, %rd8, %rd6;\n"
    "    ld.global.f64 %fd0, [%rd8];\n"
    "    ld.global.f64 %fd1, [%rd8+-8];\n"
    "    ld.global.f64 %fd2, [%rd8+8];\n"
    "    ld.global.f64 %fd3, [%rd9];\n"
    "    ld.global.f64 %fd4, [%rd10];\n"
    "    add.rn.f64 %fd1, %fd1, %fd2;\n"
    "    add.rn.f64 %fd1, %fd1, %fd3;\n"
    "    add.rn.f64 %fd1, %fd1, %fd4;\n"
    "    mul.rn.f64 %fd5, %fd0, 0dC010000000000000;\n" /* -4 */
    "    add.rn.f64 %fd1, %fd1, %fd5;\n"
    "    ld.param.f64 %fd6, [rate];\n"
    "    mul.rn.f64 %fd1, %fd1, %fd6;\n"
    "    add.rn.f64 %fd1, %fd1, %fd0;\n"
    "    ld.param.u64 %rd11, [next];\n"
    "    cvta.to.global.u64 %rd11, %rd11;\n"
    "    add.u64 %rd12, %rd11, %rd7;\n"
    "    st.global.f64 [%rd12], %fd1;\n"
    "done:\n"
    "    ret;\n"
    "}\n";

static struct {
    int (*load)(void **, const void *);
    int (*function)(void **, void *, const char *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
    int (*stream)(void **, unsigned);
    int (*synchronize)(void *);
} kernels;

#define KERNELS(call)                                                                                                  \
    do {                                                                                                               \
        int status_ = kernels.call;                                                                                    \
        if (status_ != 0) FAIL("%s: status %d", #call, status_);                                                       \
    } while (0)

static void *kernel, *stream;

static void load_kernel(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *module;
    if (library == NULL) FAIL("%s", dlerror());
    *(void **)&kernels.load = driver_function(library, "cuModuleLoadData");
    *(void **)&kernels.function = driver_function(library, "cuModuleGetFunction");
    *(void **)&kernels.launch = driver_function(library, "cuLaunchKernel");
    *(void **)&kernels.stream = driver_function(library, "cuStreamCreate");
    *(void **)&kernels.synchronize = driver_function(library, "cuStreamSynchronize");
    KERNELS(load(&module, ptx));
    KERNELS(function(&kernel, module, "heat_step"));
    KERNELS(stream(&stream, 1)); /* CU_STREAM_NON_BLOCKING */
}

/* The first row of a PE's part. */
static int first_row(int pe, int npes) { return ROWS * pe / npes; }

static double wave(int row, int column)
{
    return sin(2 * PI * (row + 1) / (ROWS + 1)) * sin(3 * PI * (column + 1) / (COLUMNS + 1));
}

int main(void)
{
    int me, npes;
    begin_device(&me, &npes);
    load_kernel();
    const uint64_t columns = COLUMNS, pitch = COLUMNS + 2;
    const int top = first_row(me, npes);
    const uint64_t rows = first_row(me + 1, npes) - top;
    const size_t bytes = (ROWS / npes + 3) * pitch * sizeof(double);
    double *plates[2] = {shmemg_calloc(1, bytes), shmemg_calloc(1, bytes)}, *here = calloc(1, bytes), rate = 0.2;
    uint64_t *arrived = shmem_calloc(2, sizeof *arrived); /* the last step whose row has come from each side */
    CHECK(plates[0] != NULL && plates[1] != NULL && arrived != NULL);
    for (uint64_t i = 0; i < rows * columns; i++)
        here[(i / columns + 1) * pitch + i % columns + 1] = wave(top + i / columns, i % columns);
    shmem_putmem(plates[1], here, bytes, me);
    shmem_barrier_all();

    for (uint64_t step = 1; step <= STEPS; step++) {
        /* Two plates in turn: a neighbour that has sent its row of this step has done with the plate that the last step read. */
        double *now = plates[step % 2], *next = plates[(step + 1) % 2];
        if (me > 0) {
            double *dest = now + (top - first_row(me - 1, npes) + 1) * pitch + 1;
            shmem_double_put_signal(dest, now + pitch + 1, COLUMNS, &arrived[SOUTH], step, SHMEM_SIGNAL_SET, me - 1);
        }
        if (me < npes - 1)
            shmem_double_put_signal(now + 1, now + rows * pitch + 1, COLUMNS, &arrived[NORTH], step, SHMEM_SIGNAL_SET, me + 1);
        if (me > 0) shmem_signal_wait_until(&arrived[NORTH], SHMEM_CMP_GE, step);
        if (me < npes - 1) shmem_signal_wait_until(&arrived[SOUTH], SHMEM_CMP_GE, step);
        void *parameters[] = {&next, &now, (void *)&columns, (void *)&rows, &rate};
        KERNELS(launch(kernel, (rows * columns + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1, 0, stream, parameters, NULL));
        /* Puts of the next step read what the kernel writes. */
        KERNELS(synchronize(stream));
    }

    const double down = sin(PI * 2 / (2.0 * (ROWS + 1))), across = sin(PI * 3 / (2.0 * (COLUMNS + 1)));
    const double damping = pow(1 - 4 * rate * (down * down + across * across), STEPS);
    shmem_getmem(here, plates[(STEPS + 1) % 2], bytes, me);
    for (uint64_t i = 0; i < rows * columns; i++) {
        const double found = here[(i / columns + 1) * pitch + i % columns + 1];
        const double exact = damping * wave(top + i / columns, i % columns);
        if (!(fabs(found - exact) <= 1e-10)) FAIL("row %d, column %d: %.15g, expected %.15g", top + (int)(i / columns), (int)(i % columns), found, exact);
    }
    shmem_barrier_all();
    shmemg_free(plates[1]);
    shmemg_free(plates[0]);
    shmem_free(arrived);
    shmem_finalize();
    return 0;
}
