// pes: 2 3 5 8
// each: SHMEM_REDUCE_ALGORITHM = doubling | whole | board | direct | rabenseifner | relay | ring | tree
// Every algorithm for a reduction, back to back with skewed arrival, over teams of every shape.
#include "rounds.h"

ROUNDS_OF(REDUCE)
