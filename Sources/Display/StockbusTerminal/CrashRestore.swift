internal import LibC
internal import Synchronization

/// Restores the terminal in contexts that allow only system calls.
enum CrashRestore {
  /// The descriptor with a live block, or -1.
  private static let live = Atomic<Int32>(-1)
  /// The descriptor with a full screen, or -1.
  private static let full = Atomic<Int32>(-1)
  /// The line discipline before the full screen; written before `full` is set. Unchecked, because a signal handler cannot take a lock.
  private nonisolated(unsafe) static let found = UnsafeMutablePointer<termios>.allocate(capacity: 1)

  static func isLive(_ isLive: Bool, descriptor: Int32) {
    if isLive {
      live.store(descriptor, ordering: .relaxed)
    } else {
      _ = live.compareExchange(expected: descriptor, desired: -1, ordering: .relaxed)
    }
  }

  static func isFullScreen(_ isOn: Bool, descriptor: Int32, found mode: termios) {
    if isOn {
      found.initialize(to: mode)
      full.store(descriptor, ordering: .sequentiallyConsistent)
    } else {
      _ = full.compareExchange(expected: descriptor, desired: -1, ordering: .sequentiallyConsistent)
    }
  }

  /// Only loads, stores, `write` and `tcsetattr`, which POSIX allows in a signal handler (`man 7 signal-safety`).
  static func restore() {
    let screen = full.exchange(-1, ordering: .relaxed)
    if screen >= 0 {
      let saved = errno
      let bytes = Sequences.fullScreenEnd
      _ = LibC.write(screen, bytes.utf8Start, bytes.utf8CodeUnitCount)
      _ = tcsetattr(screen, TCSANOW, found)
      Guardian.endFromSignalHandler()
      errno = saved
    }
    let descriptor = live.exchange(-1, ordering: .relaxed)
    if descriptor < 0 { return }
    let saved = errno
    let bytes = Sequences.crash
    _ = LibC.write(descriptor, bytes.utf8Start, bytes.utf8CodeUnitCount)
    errno = saved
  }

  static func install(_ signals: [Int32]) {
    // Initialised here, so that the first access is not in a signal handler.
    _ = live.load(ordering: .relaxed)
    _ = full.load(ordering: .relaxed)
    _ = found
    _ = Sequences.fullScreenEnd
    Guardian.prepareForSignalHandlers()
    for signal in signals {
      var action = sigaction()
      let handler: @convention(c) (Int32) -> Void = { signal in
        CrashRestore.restore()
        _ = raise(signal)  // blocked until the handler returns; by then its default action is restored
      }
      #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
      #else
      action.__sigaction_handler.sa_handler = handler
      #endif
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | Int32(SA_ONSTACK)
      _ = sigaction(signal, &action, nil)
    }
  }
}

extension Terminal {
  /// The signals that end a process after a crash.
  package static let crashSignals: [Int32] = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]

  /// Restores the terminal if the process dies of one of `signals`, which then has its default effect.
  ///
  /// Replaces earlier handlers of these signals; call it once, at the start. The restoration has no visible effect unless a block is live
  /// or a full screen is on. After a stack overflow the thread has no room for the handler, so the cursor stays hidden.
  package static func installCrashRestore(for signals: [Int32] = crashSignals) { CrashRestore.install(signals) }

  /// If a full screen is on, leaves it and restores the line discipline. If a block is live, shows the cursor, resets styles and wrapping,
  /// and begins a new line. Safe inside a signal handler.
  ///
  /// For a process that ends right after; in all other cases use `restore()`.
  package static func restoreFromSignalHandler() { CrashRestore.restore() }
}
