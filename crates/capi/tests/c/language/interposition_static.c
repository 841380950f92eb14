// pes: 1 2 4
// flags: -static
// The same when everything is linked statically.
#include "interposition.h"
