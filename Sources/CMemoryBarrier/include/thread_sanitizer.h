// Tells the thread sanitizer what it cannot see: the standard library's Mutex is a futex in a module that is not instrumented, so
// that everything a Mutex protects would be reported. Outside of a build with --sanitize=thread these cost one predicted branch.
#ifndef STOCKBUS_THREAD_SANITIZER_H
#define STOCKBUS_THREAD_SANITIZER_H

#include <stdbool.h>

/// True in a build with --sanitize=thread; C code is told so by the compiler, Swift code is not.
extern const bool stockbus_sanitizes_threads;

void stockbus_tsan_acquire(void *lock);
void stockbus_tsan_release(void *lock);

/// After a lock was taken.
static inline void stockbus_lock_taken(void *lock) {
  if (__builtin_expect(stockbus_sanitizes_threads, 0)) stockbus_tsan_acquire(lock);
}

/// Before a lock is given back.
static inline void stockbus_lock_given_back(void *lock) {
  if (__builtin_expect(stockbus_sanitizes_threads, 0)) stockbus_tsan_release(lock);
}

#endif
