/* Long messages whose every byte tells where it comes from. */
#ifndef BYTES_H
#define BYTES_H

#include "samples.h"

/* Byte i of what `from` has for `to` in round `round`: no period that any block, line or page has. */
static inline uint8_t byte_of(int from, int to, int round, size_t i)
{
    uint64_t x = i * 0x9E3779B97F4A7C15u + (uint64_t)(from * 131 + to * 17 + round * 7 + 1);
    return (uint8_t)(x >> 32 ^ x);
}

static inline void bytes_fill(uint8_t *at, size_t length, int from, int to, int round)
{
    for (size_t i = 0; i < length; i++) at[i] = byte_of(from, to, round, i);
}

/* `at` holds what bytes_fill wrote, and a guard behind it. */
#define bytes_check(one, what, at, length, from, to, round)                                                            \
    do {                                                                                                               \
        for (size_t i_ = 0; i_ < (length); i_++)                                                                       \
            if ((at)[i_] != byte_of(from, to, round, i_))                                                              \
                FAIL("%s over %s of %d, PE %d: byte %zu of %zu from %d is %u, expected %u", what, (one)->name,         \
                     (one)->n, (one)->me, i_, (size_t)(length), from, (at)[i_], byte_of(from, to, round, i_));         \
    } while (0)

enum { BYTE_GUARD = 0xA5 };

/* Lengths around every limit that an implementation is likely to have: cells, lines, pages, buffers, and a large one. */
static const size_t lengths[] = {1,     7,     8,     9,     55,    56,    57,    63,     64,     65,     255,     256,    257,
                                 1023,  1024,  1025,  2047,  2048,  2049,  4095,  4096,   4097,   8191,   8192,    8193,   16383,
                                 16384, 16385, 32767, 32768, 32769, 65535, 65536, 65537,  131071, 131073, 262145,  1048575,
                                 1048576, 1048577};
enum { LENGTHS = sizeof lengths / sizeof *lengths };
#define LENGTH_MAX ((size_t)1048577)

#endif
