internal import LibC
internal import StockbusSystem

/// The line discipline of a terminal, as it was before and as a full screen needs it.
struct RawMode {
  let descriptor: Int32
  let found: termios

  /// Reads the present modes; nil if `descriptor` is not a terminal.
  init?(_ descriptor: Int32) {
    var mode = termios()
    guard tcgetattr(descriptor, &mode) == 0 else { return nil }
    self.descriptor = descriptor
    found = mode
  }

  /// Keys arrive one by one and are not echoed. Ctrl-C, Ctrl-\ and Ctrl-Z still send signals, and output is not changed.
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

  /// Restores the former modes. Unread input is discarded, so that no response of the terminal ends up in a shell's command line.
  func leave() { set(found, TCSAFLUSH) }

  private func set(_ mode: termios, _ when: Int32) {
    var mode = mode
    _ = try? retrying { tcsetattr(descriptor, when, &mode) }
  }

  /// True if this process is in the foreground of the terminal, or if the system names no foreground process group for it.
  var isForeground: Bool {
    let listener = tcgetpgrp(descriptor)
    return listener <= 0 || listener == getpgrp()
  }
}
