// The helper is put into the program from its only place, so that what `plugin new` writes is what the tests of the helper test.
#include "plugin_helper.h"

// The package's C standard is the compiler's own, in which #embed is an extension.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char python[] = {
#embed "../../../Examples/plugins/python/stockbus_plugin.py"
};

const unsigned char *stockbus_python_helper(void) { return python; }
size_t stockbus_python_helper_length(void) { return sizeof python; }
