// pes: 1 2
// p and g carry a value whole: extremes and signs of integers, every bit of floats, the 64-bit mantissa of long double.
#include "types.h"
#include <float.h>
#include <limits.h>
#include <math.h>

static int me, npes;

#define ROUND_TRIP(NAME, T, ...)                                                                                       \
    {                                                                                                                  \
        static T place;                                                                                                \
        const T values[] = {__VA_ARGS__};                                                                              \
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {                                                  \
            shmem_barrier_all();                                                                                       \
            if (me == 0) shmem_##NAME##_p(&place, values[i], npes - 1);                                                \
            shmem_barrier_all();                                                                                       \
            T got = shmem_##NAME##_g(&place, npes - 1);                                                                \
            CHECK_NTH("shmem_" #NAME "_p", i, got, values[i]);                                                         \
            if (me == npes - 1) CHECK_NTH("local load after shmem_" #NAME "_p", i, place, values[i]);                  \
        }                                                                                                              \
    }

static void nan_and_minus_zero(void)
{
    static float f;
    static double d;
    static long double l;
    static const uint32_t nan_f = 0x7fc12345u;
    static const uint64_t nan_d = 0x7ff8123456789abcu;
    float quiet_f;
    double quiet_d;
    memcpy(&quiet_f, &nan_f, sizeof quiet_f);
    memcpy(&quiet_d, &nan_d, sizeof quiet_d);
    if (me == 0) {
        shmem_float_p(&f, quiet_f, npes - 1);
        shmem_double_p(&d, quiet_d, npes - 1);
        shmem_longdouble_p(&l, -0.0L, npes - 1);
    }
    shmem_barrier_all();
    float got_f = shmem_float_g(&f, npes - 1);
    double got_d = shmem_double_g(&d, npes - 1);
    long double got_l = shmem_longdouble_g(&l, npes - 1);
    CHECK(memcmp(&got_f, &quiet_f, sizeof got_f) == 0);
    CHECK(memcmp(&got_d, &quiet_d, sizeof got_d) == 0);
    CHECK(got_l == 0 && signbit(got_l));
}

int main(void)
{
    begin(&me, &npes);
    ROUND_TRIP(char, char, CHAR_MIN, CHAR_MAX, 0, (char)-1)
    ROUND_TRIP(schar, signed char, SCHAR_MIN, SCHAR_MAX, -1)
    ROUND_TRIP(uchar, unsigned char, 0, UCHAR_MAX, 0x80)
    ROUND_TRIP(short, short, SHRT_MIN, SHRT_MAX, -1)
    ROUND_TRIP(ushort, unsigned short, 0, USHRT_MAX, 0x8000)
    ROUND_TRIP(int, int, INT_MIN, INT_MAX, -1)
    ROUND_TRIP(uint, unsigned int, 0, UINT_MAX, 0x80000000u)
    ROUND_TRIP(long, long, LONG_MIN, LONG_MAX, -1)
    ROUND_TRIP(ulong, unsigned long, 0, ULONG_MAX, 1UL << (sizeof(long) * 8 - 1))
    ROUND_TRIP(longlong, long long, LLONG_MIN, LLONG_MAX, -1)
    ROUND_TRIP(ulonglong, unsigned long long, 0, ULLONG_MAX, 1ULL << 63)
    ROUND_TRIP(int8, int8_t, INT8_MIN, INT8_MAX, -1)
    ROUND_TRIP(int16, int16_t, INT16_MIN, INT16_MAX, -1)
    ROUND_TRIP(int32, int32_t, INT32_MIN, INT32_MAX, -1)
    ROUND_TRIP(int64, int64_t, INT64_MIN, INT64_MAX, -1)
    ROUND_TRIP(uint8, uint8_t, 0, UINT8_MAX)
    ROUND_TRIP(uint16, uint16_t, 0, UINT16_MAX)
    ROUND_TRIP(uint32, uint32_t, 0, UINT32_MAX)
    ROUND_TRIP(uint64, uint64_t, 0, UINT64_MAX)
    ROUND_TRIP(size, size_t, 0, SIZE_MAX)
    ROUND_TRIP(ptrdiff, ptrdiff_t, PTRDIFF_MIN, PTRDIFF_MAX)
    ROUND_TRIP(float, float, FLT_MIN, -FLT_MAX, FLT_EPSILON, INFINITY)
    ROUND_TRIP(double, double, DBL_MIN, -DBL_MAX, DBL_EPSILON, -INFINITY, 0x1.fffffffffffffp+0)
    ROUND_TRIP(longdouble, long double, LDBL_MIN, -LDBL_MAX, 1.0L + LDBL_EPSILON, -(1.0L + LDBL_EPSILON), INFINITY)
    nan_and_minus_zero();
    end();
    return 0;
}
