#ifndef DASHBOARD_PAGE_H
#define DASHBOARD_PAGE_H

#include <stddef.h>

/// A file of the dashboard's page, in the program.
struct dashboard_file {
  /// Its name below `/page/`, without folders.
  const char *name;
  /// `text/html`, `text/css`, `text/javascript` or `image/svg+xml`.
  const char *media_type;
  const unsigned char *bytes;
  size_t length;
};

/// The first of all files of the page, which are in the order of their names; they live as long as the program.
const struct dashboard_file *dashboard_files(void);

/// How many they are.
size_t dashboard_file_count(void);

#endif
