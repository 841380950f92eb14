/* The contribution of each member to a reduction, and the expected result, computed in the type itself, in the team's order. */
#ifndef VALUES_H
#define VALUES_H

#include "samples.h"

/* Of either sign where the type has one, so that a comparison of the wrong signedness shows. */
#define SPREAD(T, pe, i) ((T)(((pe) * 37 + (int)(i) * 11) % 101 - 50))
/* 1, 2 or 3, not the same with all PEs; products wrap in narrow types. */
#define FACTOR(T, pe, i) ((T)(((pe) + (int)(i)) % 3 + 1))
/* Some bits. */
#define BITS(T, pe, i) ((T)(0x9E3779B97F4A7C15u * (uint64_t)((pe) * 5 + (int)(i) + 1) >> 7))

#endif
