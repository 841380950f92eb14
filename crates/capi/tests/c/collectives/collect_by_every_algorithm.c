// pes: 2 3 5 8
// each: SHMEM_COLLECT_ALGORITHM = linear | bruck
// Every algorithm for collect, back to back with skewed arrival, over teams of every shape.
#include "rounds.h"

ROUNDS_OF(COLLECT)
