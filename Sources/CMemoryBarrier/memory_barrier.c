#if defined(__linux__)
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#include "memory_barrier.h"
#include <pthread.h>

bool stockbus_has_membarrier = false;

#if defined(__linux__)
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void prepare(void) {
  // A kernel older than 4.14 or a sandbox that filters the call answers with an error: both sides then use full fences.
  stockbus_has_membarrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
void stockbus_prepare_barriers(void) { pthread_once(&once, prepare); }
void stockbus_heavy_barrier(void) {
  if (stockbus_has_membarrier && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#else
void stockbus_prepare_barriers(void) {}
void stockbus_heavy_barrier(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif
