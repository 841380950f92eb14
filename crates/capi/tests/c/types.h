/* The type lists of the specification: X(TYPENAME, C type). */
#ifndef TYPES_H
#define TYPES_H

#include "check.h"

/* 12 types: standard atomics, wait and test. */
#define STANDARD_TYPES(X)                                                                                              \
    X(int, int)                                                                                                        \
    X(long, long)                                                                                                      \
    X(longlong, long long)                                                                                             \
    X(uint, unsigned int)                                                                                              \
    X(ulong, unsigned long)                                                                                            \
    X(ulonglong, unsigned long long)                                                                                   \
    X(int32, int32_t)                                                                                                  \
    X(int64, int64_t)                                                                                                  \
    X(uint32, uint32_t)                                                                                                \
    X(uint64, uint64_t)                                                                                                \
    X(size, size_t)                                                                                                    \
    X(ptrdiff, ptrdiff_t)

/* 14 types: extended atomics. */
#define EXTENDED_TYPES(X)                                                                                              \
    STANDARD_TYPES(X)                                                                                                  \
    X(float, float)                                                                                                    \
    X(double, double)

/* 7 types: bitwise atomics. */
#define BITWISE_TYPES(X)                                                                                               \
    X(uint, unsigned int)                                                                                              \
    X(ulong, unsigned long)                                                                                            \
    X(ulonglong, unsigned long long)                                                                                   \
    X(int32, int32_t)                                                                                                  \
    X(int64, int64_t)                                                                                                  \
    X(uint32, uint32_t)                                                                                                \
    X(uint64, uint64_t)

/* 24 types: remote memory access. */
#define RMA_TYPES(X)                                                                                                   \
    EXTENDED_TYPES(X)                                                                                                  \
    X(longdouble, long double)                                                                                         \
    X(char, char)                                                                                                      \
    X(schar, signed char)                                                                                              \
    X(short, short)                                                                                                    \
    X(uchar, unsigned char)                                                                                            \
    X(ushort, unsigned short)                                                                                          \
    X(int8, int8_t)                                                                                                    \
    X(int16, int16_t)                                                                                                  \
    X(uint8, uint8_t)                                                                                                  \
    X(uint16, uint16_t)

/* 14 types: and, or, xor over a team. */
#define BITWISE_REDUCE_TYPES(X)                                                                                        \
    X(uchar, unsigned char)                                                                                            \
    X(ushort, unsigned short)                                                                                          \
    X(uint, unsigned int)                                                                                              \
    X(ulong, unsigned long)                                                                                            \
    X(ulonglong, unsigned long long)                                                                                   \
    X(int8, int8_t)                                                                                                    \
    X(int16, int16_t)                                                                                                  \
    X(int32, int32_t)                                                                                                  \
    X(int64, int64_t)                                                                                                  \
    X(uint8, uint8_t)                                                                                                  \
    X(uint16, uint16_t)                                                                                                \
    X(uint32, uint32_t)                                                                                                \
    X(uint64, uint64_t)                                                                                                \
    X(size, size_t)

/* 4 types: the integers that the active-set reductions know; and, or, xor take these alone. */
#define TO_ALL_INTEGER_TYPES(X)                                                                                        \
    X(short, short)                                                                                                    \
    X(int, int)                                                                                                        \
    X(long, long)                                                                                                      \
    X(longlong, long long)

/* 7 types: the real types that the active-set reductions know. */
#define TO_ALL_REAL_TYPES(X)                                                                                           \
    TO_ALL_INTEGER_TYPES(X)                                                                                            \
    X(float, float)                                                                                                    \
    X(double, double)                                                                                                  \
    X(longdouble, long double)

/* 2 types: sums, products and scans alone take them. */
#define COMPLEX_TYPES(X)                                                                                               \
    X(complexd, double _Complex)                                                                                       \
    X(complexf, float _Complex)

/* The sized forms: X(suffix, bytes of an element); `mem` counts bytes. */
#define SIZES(X)                                                                                                       \
    X(8, 1)                                                                                                            \
    X(16, 2)                                                                                                           \
    X(32, 4)                                                                                                           \
    X(64, 8)                                                                                                           \
    X(128, 16)

/* Most PEs that a program of the suite is started with. */
enum { PES_MAX = 16 };

/* The value that PE `from` writes to element `i` at PE `to`: fits every type, never equals GUARD. */
#define VALUE(T, from, to, i) ((T)(((from) * 31 + (to) * 17 + (int)(i) * 3) % 113 + 1))
/* A value that no put writes. */
#define GUARD(T) ((T)125)

#endif
