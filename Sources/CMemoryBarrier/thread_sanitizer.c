// In a build with --sanitize=thread: the locks of the standard library, made visible to the sanitizer; nothing in other builds.
//
// Where nobody has to wait for a Mutex it is an atomic exchange in the code that uses it, which is instrumented. Where somebody has, it
// is a futex in libswiftSynchronization, which is not: what is ordered by that alone would be reported. So these functions stand in front of
// the library's, for every Mutex of the program, and tell the sanitizer what the library does. Weak, so that they give way where the
// library is linked statically.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && defined(__linux__)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Of the sanitizer's run-time library (sanitizer/tsan_interface.h).
void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define MUTEX __attribute__((swift_context)) void *mutex
// Synchronization._MutexHandle: _lockSlow(UInt32), _tryLockSlow() -> Bool, _unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT __attribute__((weak)) void lock_slowly(uint32_t thread, MUTEX) __asm__(LOCK);
SWIFT __attribute__((weak)) bool try_lock_slowly(MUTEX) __asm__(TRY_LOCK);
SWIFT __attribute__((weak)) void unlock_slowly(MUTEX) __asm__(UNLOCK);

static SWIFT void (*real_lock)(uint32_t, MUTEX);
static SWIFT bool (*real_try_lock)(MUTEX);
static SWIFT void (*real_unlock)(MUTEX);

__attribute__((constructor)) static void find_mutex(void) {
  *(void **)&real_lock = dlsym(RTLD_NEXT, LOCK);
  *(void **)&real_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
  *(void **)&real_unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slowly(uint32_t thread, MUTEX) {
  real_lock(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT bool try_lock_slowly(MUTEX) {
  bool is_taken = real_try_lock(mutex);
  if (is_taken) __tsan_acquire(mutex);
  return is_taken;
}

SWIFT void unlock_slowly(MUTEX) {
  __tsan_release(mutex);
  real_unlock(mutex);
}

#endif
#endif
