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

/// Nanoseconds of processor time this process has used: what work on one thread costs, whoever else uses the machine.
public func processorNanoseconds() -> Int64 {
  var t = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)
  return Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec)
}

/// Keeps the processor busy for so long.
public func spin(nanoseconds: Int64) {
  let end = monotonicNanoseconds() + nanoseconds
  while monotonicNanoseconds() < end {}
}
