// A target of its own, which is linked into the program and which nothing is compiled against: after a new commit only this file is
// compiled and the program linked again.
#include "version.h"

// Scripts/commit.sh writes the header when `make` builds. A build without make ignores a header from an earlier build.
#if defined(STOCKBUS_COMMIT_IS_TOLD) && __has_include("stockbus_commit.h")
#include "stockbus_commit.h"
#else
#define STOCKBUS_COMMIT ""
#endif

const char *stockbus_commit(void) { return STOCKBUS_COMMIT; }
