// pes: 2 3 5 8
// each: SHMEM_BARRIER_ALGORITHM = central | dissemination | tree
// Every algorithm for a sync and a barrier: no PE leaves before the last member has called it, over teams of every shape.
#include "come.h"

int main(void) { return come_run(40); }
