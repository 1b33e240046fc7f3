#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif
internal import Synchronization

/// Ends the waits of other threads for input that may never come.
///
/// A thread that waits in `poll` for a pipe's next bytes waits for this pipe of our own, too: `halt` writes to it.
public final class Halt: Sendable {
  private struct State {
    var isHalted = false
    /// Made when somebody waits for the first time.
    var ends: (read: Int32, write: Int32)?
  }
  private let state = Mutex(State())

  public init() {}

  deinit {
    let ends = state.withLock { $0.ends }
    if let ends {
      _ = close(ends.read)
      _ = close(ends.write)
    }
  }

  /// All waits end, those of the future at once.
  public func halt() {
    state.withLock { state in
      if state.isHalted { return }
      state.isHalted = true
      var byte: UInt8 = 0
      // Never read: whoever waits finds it there.
      if let ends = state.ends { _ = write(ends.write, &byte, 1) }
    }
  }

  public var isHalted: Bool { state.withLock { $0.isHalted } }

  /// Waits until a descriptor has something to read, or has ended. Throws `halted` where that was ended.
  func wait(for descriptor: Int32) throws(InputDescriptor.Failure) {
    let (end, code) = state.withLock { state -> (Int32?, Int32) in
      if state.isHalted { return (nil, 0) }
      if let ends = state.ends { return (ends.read, 0) }
      var pair: [Int32] = [-1, -1]
      if pipe(&pair) != 0 { return (nil, errno) }
      for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      state.ends = (pair[0], pair[1])
      return (pair[0], 0)
    }
    if code != 0 { throw .system(code) }
    guard let end else { throw .halted }
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: end, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&entries, 2, -1) < 0 { if errno != EINTR { throw .system(errno) } }
    if entries[1].revents != 0 { throw .halted }
  }
}
