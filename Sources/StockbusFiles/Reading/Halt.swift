#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif
internal import StockbusSystem
internal import Synchronization

/// Ends the waits of other threads for input that may never come.
///
/// A thread that waits in `poll` for a pipe's next bytes waits for this pipe of our own, too: `halt` writes to it.
public final class Halt: Sendable {
  private struct State {
    var isHalted = false
    /// Made when somebody waits for the first time.
    var ends: (read: FileDescriptor, write: FileDescriptor)?
  }
  private let state = Mutex(State())

  public init() {}

  deinit {
    let ends = state.withLock { $0.ends }
    if let ends {
      try? ends.read.shut()
      try? ends.write.shut()
    }
  }

  /// All waits end, those of the future at once.
  public func halt() {
    state.withLock { state in
      if state.isHalted { return }
      state.isHalted = true
      // Never read: whoever waits finds it there.
      if let ends = state.ends { _ = try? withUnsafeBytes(of: UInt8(0)) { try ends.write.writeOnce($0) } }
    }
  }

  public var isHalted: Bool { state.withLock { $0.isHalted } }

  /// Waits until a descriptor has something to read, or has ended. Throws `halted` where that was ended.
  func wait(for descriptor: Int32) throws(InputDescriptor.Failure) {
    guard let end = try end() else { throw .halted }
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: end, events: Int16(POLLIN), revents: 0),
    ]
    do throws(Errno) { try retrying { poll(&entries, 2, -1) } } catch { throw .system(error.rawValue) }
    if entries[1].revents != 0 { throw .halted }
  }

  /// What has something to read once all waits are to end; nil where they are already.
  private func end() throws(InputDescriptor.Failure) -> Int32? {
    try state.withLock { (state) throws(InputDescriptor.Failure) -> Int32? in
      if state.isHalted { return nil }
      if let ends = state.ends { return ends.read.rawValue }
      do throws(Errno) {
        let (read, write) = try throwingErrno { try FileDescriptor.pipe() }
        for end in [read, write] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        state.ends = (read, write)
        return read.rawValue
      } catch { throw .system(error.rawValue) }
    }
  }
}
