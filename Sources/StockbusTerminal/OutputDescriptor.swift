internal import Dispatch

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Writing to a descriptor that may be slow, shared, or set to non-blocking by whoever shares it.
enum OutputDescriptor {
  /// Writes all of `bytes`; 0 or the error number.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let n = put(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if n > 0 {
          rest = rest.dropFirst(n)
        } else if n == 0 {
          return EIO
        } else if errno == EAGAIN {
          var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          while poll(&entry, 1, -1) < 0 { if errno != EINTR { return errno } }
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  private static func put(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #else
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}

/// Runs an actor's jobs on a queue of its own, so that a write that waits for a person does not hold a thread of the pool.
final class OutputExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "stockbus.terminal")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
