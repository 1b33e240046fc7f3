internal import StockbusSystem

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The line discipline of a terminal, as it was found and as a full screen needs it.
struct RawMode {
  let descriptor: Int32
  let found: termios

  /// Reads how the terminal is now; nil where `descriptor` is none.
  init?(_ descriptor: Int32) {
    var mode = termios()
    guard tcgetattr(descriptor, &mode) == 0 else { return nil }
    self.descriptor = descriptor
    found = mode
  }

  /// Keys come one by one and are not shown; Ctrl-C, Ctrl-\ and Ctrl-Z stay signals, and output stays as it is.
  func enter() {
    var mode = found
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    mode.c_lflag |= tcflag_t(ISIG)
    mode.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | ISTRIP)
    withUnsafeMutableBytes(of: &mode.c_cc) { keys in
      keys[Int(VMIN)] = 1
      keys[Int(VTIME)] = 0
    }
    set(mode, TCSADRAIN)
  }

  /// As it was found; what was typed and not read is forgotten, so that no answer of the terminal ends in a shell's line.
  func leave() { set(found, TCSAFLUSH) }

  private func set(_ mode: termios, _ when: Int32) {
    var mode = mode
    _ = try? retrying { tcsetattr(descriptor, when, &mode) }
  }

  /// Whether the terminal listens to this process now, not to another one of its shell; one that has no shell listens to all.
  var isForeground: Bool {
    let listener = tcgetpgrp(descriptor)
    return listener <= 0 || listener == getpgrp()
  }
}
