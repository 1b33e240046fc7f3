// A target of its own, which the program is linked with and nothing is compiled against: with a new commit this file is compiled,
// the program is linked, and nothing else is built again.
#include "version.h"

// Written by Scripts/commit.sh for whoever builds by `make`; others have not told, and what an older build was told is not for them.
#if defined(STOCKBUS_COMMIT_IS_TOLD) && __has_include("stockbus_commit.h")
#include "stockbus_commit.h"
#else
#define STOCKBUS_COMMIT ""
#endif

const char *stockbus_commit(void) { return STOCKBUS_COMMIT; }
