// pes: 2 3 5 8
// each: SHMEM_FCOLLECT_ALGORITHM = board | linear | ring | bruck | doubling
// Every algorithm for fcollect, back to back with skewed arrival, over teams of every shape.
#include "rounds.h"

ROUNDS_OF(FCOLLECT)
