#include "version.h"

// CCommit's definition replaces this one if it is linked.
__attribute__((weak)) const char *stockbus_commit(void) { return ""; }
