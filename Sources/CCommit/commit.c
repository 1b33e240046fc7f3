// A target of its own, which the program is linked with and nothing is compiled against: with a new commit this file is compiled,
// the program is linked, and nothing else is built again.
#include "version.h"

// Scripts/commit.sh writes the header when `make` builds. A build without make ignores a header that an older build has left.
#if defined(STOCKBUS_COMMIT_IS_TOLD) && __has_include("stockbus_commit.h")
#include "stockbus_commit.h"
#else
#define STOCKBUS_COMMIT ""
#endif

const char *stockbus_commit(void) { return STOCKBUS_COMMIT; }
