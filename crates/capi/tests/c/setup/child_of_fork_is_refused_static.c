// pes: 1 2
// flags: -static
// needs: mapped
// In a static program the library's own variables are symmetric: the child closes the library only when it has its own copy of
// them, since it would otherwise close its parent's.
#include "child_of_fork_is_refused.c"
