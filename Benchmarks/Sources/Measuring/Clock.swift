#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Nanoseconds on the monotonic clock.
public func monotonicNanoseconds() -> Int64 {
  var t = timespec()
  clock_gettime(CLOCK_MONOTONIC, &t)
  return Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec)
}

/// The processor time of this process in nanoseconds: the cost of work on one thread, independent of other processes.
public func processorNanoseconds() -> Int64 {
  var t = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)
  return Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec)
}

/// Keeps the processor busy for this time.
public func spin(nanoseconds: Int64) {
  let end = monotonicNanoseconds() + nanoseconds
  while monotonicNanoseconds() < end {}
}
