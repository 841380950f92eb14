// pes: 2 3 5 8
// each: SHMEM_BCAST_ALGORITHM = knomial | pull | scatter-allgather | binomial | linear
// Every algorithm for a broadcast, back to back with skewed arrival, over teams of every shape.
#include "rounds.h"

ROUNDS_OF(BROADCAST)
