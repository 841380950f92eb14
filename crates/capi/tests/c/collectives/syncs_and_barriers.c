// pes: 1 2 3 4 7 8
// Team syncs and barriers over teams of every shape: all have come, plain stores are seen, puts are complete.
#include "come.h"

int main(void) { return come_run(25); }
