// pes: 2 4
// flags: -fcommon -Wl,-z,relro,-z,now
// The statics of an executable with full RELRO are symmetric too.
#include "every_kind_of_static.c"
