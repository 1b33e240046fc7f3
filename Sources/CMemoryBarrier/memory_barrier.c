#if defined(__linux__)
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#include "memory_barrier.h"

bool stockbus_has_membarrier = false;

#if defined(__linux__)
// Before main, while there is one thread: in a process with several the kernel waits until every processor has been through its
// scheduler (synchronize_rcu), some 8 ms.
__attribute__((constructor)) static void prepare(void) {
  // A kernel older than 4.14 or a sandbox that filters the call answers with an error: both sides then use full fences.
  stockbus_has_membarrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
void stockbus_heavy_barrier(void) {
  if (stockbus_has_membarrier && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#else
void stockbus_heavy_barrier(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif
