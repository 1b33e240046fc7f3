#include "thread_sanitizer.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZES_THREADS 1
#endif
#endif

#if defined(SANITIZES_THREADS)
// Of the sanitizer's run-time library (sanitizer/tsan_interface.h).
void __tsan_acquire(void *address);
void __tsan_release(void *address);

const bool stockbus_sanitizes_threads = true;
void stockbus_tsan_acquire(void *lock) { __tsan_acquire(lock); }
void stockbus_tsan_release(void *lock) { __tsan_release(lock); }
#else
const bool stockbus_sanitizes_threads = false;
void stockbus_tsan_acquire(void *lock) { (void)lock; }
void stockbus_tsan_release(void *lock) { (void)lock; }
#endif
