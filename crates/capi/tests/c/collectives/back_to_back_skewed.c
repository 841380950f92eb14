// pes: 2 3 4 8
// All kinds of collectives mixed, back to back without synchronisation, over teams of every shape.
#include "rounds.h"

int main(void)
{
    static const enum kind kinds[KINDS] = {BROADCAST, FCOLLECT, COLLECT, ALLTOALL, REDUCE, SCAN, SYNC};
    return rounds_run(8, kinds);
}
