internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Giving the terminal back from where nothing but system calls is allowed.
enum CrashRestore {
  /// The descriptor with a live block, or -1.
  private static let live = Atomic<Int32>(-1)
  /// The descriptor with a full screen, or -1.
  private static let full = Atomic<Int32>(-1)
  /// How the terminal's line discipline was found; written before `full` is set. Unchecked, because a handler can take no lock.
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

  /// Loads, stores, `write` and `tcsetattr` only: what POSIX allows in a signal's handler (`man 7 signal-safety`).
  static func restore() {
    let screen = full.exchange(-1, ordering: .relaxed)
    if screen >= 0 {
      let saved = errno
      let bytes = Sequences.fullScreenEnd
      #if canImport(Darwin)
      _ = Darwin.write(screen, bytes.utf8Start, bytes.utf8CodeUnitCount)
      #else
      _ = Glibc.write(screen, bytes.utf8Start, bytes.utf8CodeUnitCount)
      #endif
      _ = tcsetattr(screen, TCSANOW, found)
      Guardian.endFromSignalHandler()
      errno = saved
    }
    let descriptor = live.exchange(-1, ordering: .relaxed)
    if descriptor < 0 { return }
    let saved = errno
    let bytes = Sequences.crash
    #if canImport(Darwin)
    _ = Darwin.write(descriptor, bytes.utf8Start, bytes.utf8CodeUnitCount)
    #else
    _ = Glibc.write(descriptor, bytes.utf8Start, bytes.utf8CodeUnitCount)
    #endif
    errno = saved
  }

  static func install(_ signals: [Int32]) {
    // Initialised here, not for the first time inside a handler.
    _ = live.load(ordering: .relaxed)
    _ = full.load(ordering: .relaxed)
    _ = found
    _ = Sequences.fullScreenEnd
    Guardian.prepareForSignalHandlers()
    for signal in signals {
      var action = sigaction()
      let handler: @convention(c) (Int32) -> Void = { signal in
        CrashRestore.restore()
        _ = raise(signal)  // blocked until the handler returns, and by then its default action is back
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
  /// The signals with which a broken process ends.
  public static let crashSignals: [Int32] = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]

  /// Gives the terminal back when the process dies of one of `signals`, which then takes its usual course.
  ///
  /// Replaces earlier handlers of these signals; call it once, at the start. Does nothing visible unless a block is live then. A
  /// thread whose stack has overflowed has no room for the handler, so that death leaves the cursor hidden.
  public static func installCrashRestore(for signals: [Int32] = crashSignals) { CrashRestore.install(signals) }

  /// Shows the cursor, resets looks, wraps lines and goes to a new line, where a block is live; safe inside a signal's handler.
  ///
  /// For a process that ends right after; everybody else takes `restore()`.
  public static func restoreFromSignalHandler() { CrashRestore.restore() }
}
