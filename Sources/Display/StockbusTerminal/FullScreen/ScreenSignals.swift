internal import LibC
internal import Synchronization

/// Turns SIGWINCH, SIGTSTP and SIGCONT into bytes in a pipe, so that one thread can wait for them and for keys.
enum ScreenSignals {
  static let resized = UInt8(ascii: "w")
  static let suspend = UInt8(ascii: "z")
  static let resumed = UInt8(ascii: "c")
  /// Written by this process to end the thread.
  static let end = UInt8(ascii: "e")

  private static let pipe = Atomic<Int32>(-1)
  private static let watched: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT]

  /// Installs handlers that write to `descriptor`; returns the former ones.
  static func install(writingTo descriptor: Int32) -> [(signal: Int32, action: sigaction)] {
    pipe.store(descriptor, ordering: .sequentiallyConsistent)
    return watched.map { signal in
      var old = sigaction()
      var action = sigaction()
      // Only loads and `write`, which POSIX allows in a signal handler (`man 7 signal-safety`).
      let handler: @convention(c) (Int32) -> Void = { signal in
        let saved = errno
        ScreenSignals.note(signal == SIGWINCH ? ScreenSignals.resized : signal == SIGTSTP ? ScreenSignals.suspend : ScreenSignals.resumed)
        errno = saved
      }
      #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
      #else
      action.__sigaction_handler.sa_handler = handler
      #endif
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESTART)) | Int32(SA_ONSTACK)
      _ = sigaction(signal, &action, &old)
      return (signal, old)
    }
  }

  static func uninstall(_ found: [(signal: Int32, action: sigaction)]) {
    for (signal, action) in found {
      var action = action
      _ = sigaction(signal, &action, nil)
    }
    pipe.store(-1, ordering: .sequentiallyConsistent)
  }

  static func note(_ byte: UInt8) {
    let descriptor = pipe.load(ordering: .relaxed)
    if descriptor < 0 { return }
    var byte = byte
    // A full pipe has enough bytes to wake the thread.
    _ = LibC.write(descriptor, &byte, 1)
  }
}
