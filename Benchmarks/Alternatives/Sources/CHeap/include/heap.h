// How much memory the C library has given out.
#ifndef STOCKBUS_HEAP_H
#define STOCKBUS_HEAP_H

#include <stddef.h>

#if defined(__GLIBC__) || defined(__linux__)
#include <malloc.h>
/// Bytes in use, the allocator's own included; for a program with one thread.
static inline size_t stockbus_heap_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#else
static inline size_t stockbus_heap_in_use(void) { return 0; }
#endif

#endif
