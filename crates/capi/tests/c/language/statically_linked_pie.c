// pes: 1 2
// flags: -static-pie -fPIE
// A static position-independent executable too.
#include "statically_linked.c"
