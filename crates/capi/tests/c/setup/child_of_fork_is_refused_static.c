// pes: 1 2
// flags: -static
// needs: mapped
// In a static program the library's own variables are symmetric: the child closes the library once it has a copy of them, or it would
// close its parent's.
#include "child_of_fork_is_refused.c"
