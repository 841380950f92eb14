/* The shapes that the strided tests move, and where each destination element must come from. */
#ifndef STRIDED_H
#define STRIDED_H

#include "check.h"

struct shape {
    ptrdiff_t dst, sst;
    size_t bsize, nblocks;
};

/* A row with bsize 1 is also an iput or iget; dst == bsize is contiguous at the destination. */
static const struct shape shapes[] = {
    {1, 1, 1, 9}, {1, 3, 1, 9}, {2, 1, 1, 9}, {3, 2, 1, 9}, {7, 11, 1, 1}, {2, 2, 2, 5}, {3, 3, 3, 1},
    {5, 2, 2, 7}, {2, 5, 2, 7}, {9, 6, 5, 6}, {4, 4, 3, 0}, {1, 1, 1, 0}, {3, 3, 0, 4}, {13, 13, 13, 3},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, SHAPE_ROOM = 64 };

/* The source element that shape `s` puts at destination element `i`, or -1 for a gap. */
static inline ptrdiff_t origin(const struct shape *s, ptrdiff_t i)
{
    ptrdiff_t block = i / s->dst, within = i % s->dst;
    return (size_t)block < s->nblocks && (size_t)within < s->bsize ? block * s->sst + within : -1;
}

#endif
