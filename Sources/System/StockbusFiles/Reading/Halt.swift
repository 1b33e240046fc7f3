internal import LibC
internal import StockbusSystem
internal import Synchronization

/// Ends other threads' waits for input that may never arrive.
///
/// A thread that waits in `poll` for the next bytes of a pipe also waits for an internal pipe, to which `halt` writes.
package final class Halt: Sendable {
  private struct State {
    var isHalted = false
    /// Created when a thread waits for the first time.
    var ends: (read: FileDescriptor, write: FileDescriptor)?
  }
  private let state = Mutex(State())

  package init() {}

  deinit {
    let ends = state.withLock { $0.ends }
    if let ends {
      try? ends.read.shut()
      try? ends.write.shut()
    }
  }

  /// Ends all waits; later ones end at once.
  package func halt() {
    state.withLock { state in
      if state.isHalted { return }
      state.isHalted = true
      // The byte is never read, so every waiting thread finds it.
      if let ends = state.ends { _ = try? withUnsafeBytes(of: UInt8(0)) { try ends.write.writeOnce($0) } }
    }
  }

  package var isHalted: Bool { state.withLock { $0.isHalted } }

  /// Waits until a descriptor has bytes to read, or has ended. Throws `halted` if `halt` has been called.
  func wait(for descriptor: Int32) throws(InputDescriptor.Failure) {
    guard let end = try end() else { throw .halted }
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: end, events: Int16(POLLIN), revents: 0),
    ]
    do throws(Errno) { try retrying { poll(&entries, 2, -1) } } catch { throw .system(error.rawValue) }
    if entries[1].revents != 0 { throw .halted }
  }

  /// The internal pipe's end that becomes readable on `halt`; nil if `halt` has already been called.
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
