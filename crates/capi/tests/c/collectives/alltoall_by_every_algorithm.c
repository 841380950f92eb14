// pes: 2 3 5 8
// each: SHMEM_ALLTOALL_ALGORITHM = cells | bruck | pairwise
// Every algorithm for alltoall, back to back with skewed arrival, over teams of every shape.
#include "rounds.h"

ROUNDS_OF(ALLTOALL)
