#include "version.h"

// What CCommit says takes its place where that is linked.
__attribute__((weak)) const char *stockbus_commit(void) { return ""; }
