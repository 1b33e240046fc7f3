// An asymmetric pair of memory barriers, and the processor's pause hint.
//
// The bus has one side that runs for every event (publishing) and one that runs when somebody is about to sleep. The pair
// gives both sides the effect of a full fence between a store and a later load, and charges nearly all of it to the sleeper:
//   publisher: store published;  stockbus_light_barrier();  load attention
//   sleeper:   store attention;  stockbus_heavy_barrier();  load published
// At least one of the two loads sees the other side's store. On Linux the heavy side is membarrier(2), private expedited; the
// light side is then only a compiler barrier. Elsewhere, and where the kernel refuses membarrier, both are full fences.
#ifndef STOCKBUS_MEMORY_BARRIER_H
#define STOCKBUS_MEMORY_BARRIER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/// True when membarrier(2) carries the heavy side. Set before main runs.
extern bool stockbus_has_membarrier;

/// The sleeper's side; a system call of some microseconds while other threads run.
void stockbus_heavy_barrier(void);

/// The publisher's side: nothing but an order to the compiler where membarrier works.
static inline void stockbus_light_barrier(void) {
  if (__builtin_expect(stockbus_has_membarrier, 1)) {
    __asm__ __volatile__("" ::: "memory");
  } else {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

/// Tells the processor that this is a spinning wait.
static inline void stockbus_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield" ::: "memory");
#endif
}

/// Asks for the cache line that will be written next: its readers have it from the lap before, and taking it from them while the
/// event is written would make the event late. By its name on x86-64, because compilers turn the builtin into a fetch for reading
/// unless they may assume a processor of 2014 or later. On older ones it does nothing.
static inline void stockbus_prefetch_for_writing(const void *line) {
#if defined(__x86_64__)
  __asm__ __volatile__("prefetchw %0" : : "m"(*(const char *)line));
#else
  __builtin_prefetch(line, 1, 3);
#endif
}

/// Asks for the cache line that will be read next.
static inline void stockbus_prefetch(const void *line) { __builtin_prefetch(line, 0, 3); }

/// Nanoseconds on the monotonic clock.
static inline int64_t stockbus_monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
