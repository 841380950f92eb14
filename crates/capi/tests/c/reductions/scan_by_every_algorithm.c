// pes: 2 3 5 8
// each: SHMEM_SCAN_ALGORITHM = doubling | chain
// Every algorithm for a scan, back to back with skewed arrival, over teams of every shape.
#include "rounds.h"

ROUNDS_OF(SCAN)
