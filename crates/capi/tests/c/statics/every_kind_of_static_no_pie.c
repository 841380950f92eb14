// pes: 1 2 4
// flags: -fcommon -no-pie -fno-pie
// The statics of an executable at a fixed address are symmetric too.
#include "every_kind_of_static.c"
