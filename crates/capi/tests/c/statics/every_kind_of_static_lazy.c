// pes: 2 4
// flags: -fcommon -Wl,-z,norelro,-z,lazy
// The statics of an executable without RELRO and with lazy binding are symmetric too; its GOT still works after init.
#include "every_kind_of_static.c"
