/// The device of a `Terminal`: the streams of the process, or a screen in memory for a test.
package protocol TerminalDevice: Sendable {
  func isTerminal(_ stream: OutputStream) -> Bool
  /// The present size of the window; nil if there is no window.
  func windowSize(_ stream: OutputStream) -> TerminalSize?
  /// Writes all of `bytes`, however long that takes; returns 0 or the system's error number.
  func write(_ bytes: [UInt8], to stream: OutputStream) -> Int32
  /// Notes whether a block is drawn in place, so that the terminal is restored if the process crashes.
  func noteBlock(isLive: Bool)
  /// Takes the keyboard for a full screen; throws the reason if that is not possible. After `begin`, the device calls `receive` on its own
  /// threads.
  func openKeyboard(_ receive: @escaping @Sendable (KeyboardEvent) -> Void) throws(ScreenRefusal) -> any TerminalKeyboard
}

/// The keyboard of a terminal in full-screen mode, and the terminal's former modes.
///
/// Between `enter` and `leave` the device ensures that the terminal is restored however the process ends.
package protocol TerminalKeyboard: Sendable {
  /// True if this process is in the foreground of the terminal.
  var isForeground: Bool { get }
  /// Sets the modes of a full screen: keys arrive one by one and are not echoed.
  func enter()
  /// Begins to report input and changes of the terminal.
  func begin()
  /// Restores the former modes.
  func leave()
  /// Another program now has the terminal and has set its modes, which are left alone.
  func yield()
  /// Returns when the terminal has responded, at the latest after a tenth of a second.
  func waitForReply()
  /// Stops the process until it gets SIGCONT.
  func stopProcess()
  /// Ends the reports, and releases the keyboard.
  func end()
}

/// Something that a keyboard reports.
package enum KeyboardEvent: Sendable {
  case input([InputEvent])
  case resized
  /// Ctrl-Z: the terminal must be restored and the process stopped.
  case suspend
  /// The process continues, or is in the foreground again.
  case resumed
  /// The window was closed, so no more input arrives.
  case closed
}
