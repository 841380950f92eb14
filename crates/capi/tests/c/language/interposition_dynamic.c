// pes: 1 2 4
// With the shared library: a program's own shmem_ routines take the place of the library's, which stay reachable as pshmem_.
#include "interposition.h"
