#ifndef PLUGIN_HELPER_H
#define PLUGIN_HELPER_H

#include <stddef.h>

/// The Python side of the process protocol, `stockbus_plugin.py`; valid as long as the program runs.
const unsigned char *stockbus_python_helper(void);

/// Its bytes.
size_t stockbus_python_helper_length(void);

#endif
