#ifndef STOCKBUS_VERSION_H
#define STOCKBUS_VERSION_H

/// The commit that the program was built from, such as `e1d6b28`, or `e1d6b28, modified` if the clone had changes; empty if the build did
/// not set it, as without git, and in programs other than `stockbus`.
const char *stockbus_commit(void);

#endif
