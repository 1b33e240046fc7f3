// What the system knows of threads and processors and Swift does not see.
#ifndef STOCKBUS_PROCESSORS_H
#define STOCKBUS_PROCESSORS_H

/// The processors that this process may run on: those it is bound to, where it is bound; at least 1.
int stockbus_usable_processors(void);

/// Names the calling thread, for debuggers and top(1); at most 15 bytes.
void stockbus_name_thread(const char *name);

#endif
