// pes: 1 2
// set, swap and fetch of float and double copy bits: NaN payloads, the sign of zero and subnormals survive.
#include "check.h"

static float f;
static double d;

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void same_bits(const char *what, const void *got, const void *want, size_t bytes)
{
    if (memcmp(got, want, bytes) != 0) FAIL("%s changed the bits of its value", what);
}

int main(void)
{
    int me, npes;
    begin(&me, &npes);
    static const uint32_t floats[] = {0x7fc12345u, 0xffc00001u, 0x80000000u, 1u, 0x7f800000u};
    static const uint64_t doubles[] = {0x7ff8123456789abcu, 0xfff8000000000001u, 1ull << 63, 1u, 0x7ff0000000000000u};
    int last = npes - 1;
    for (int i = 0; me == 0 && i < 5; i++) {
        float wf = float_of(floats[i]);
        double wd = double_of(doubles[i]);
        shmem_float_atomic_set(&f, wf, last);
        shmem_double_atomic_set(&d, wd, last);
        shmem_quiet();
        float gf = shmem_float_atomic_fetch(&f, last);
        double gd = shmem_double_atomic_fetch(&d, last);
        same_bits("shmem_float_atomic_set and fetch", &gf, &wf, sizeof gf);
        same_bits("shmem_double_atomic_set and fetch", &gd, &wd, sizeof gd);
        gf = shmem_float_atomic_swap(&f, 1.0f, last);
        gd = shmem_double_atomic_swap(&d, 1.0, last);
        same_bits("shmem_float_atomic_swap", &gf, &wf, sizeof gf);
        same_bits("shmem_double_atomic_swap", &gd, &wd, sizeof gd);
    }
    end();
    return 0;
}
