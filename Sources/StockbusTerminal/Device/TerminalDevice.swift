/// What a `Terminal` stands on: the streams of the process, or a screen in memory in a test.
package protocol TerminalDevice: Sendable {
  func isTerminal(_ stream: OutputStream) -> Bool
  /// The window's size now; nil where there is no window.
  func windowSize(_ stream: OutputStream) -> TerminalSize?
  /// Writes all of `bytes`, for as long as that takes; returns 0 or the system's error number.
  func write(_ bytes: [UInt8], to stream: OutputStream) -> Int32
  /// Whether a block is drawn in place, for whoever gives the terminal back when the process breaks.
  func noteBlock(isLive: Bool)
  /// Takes the keyboard for a full screen, and throws why not. `receive` is called on threads of the device's own once `begin` was called.
  func openKeyboard(_ receive: @escaping @Sendable (KeyboardNews) -> Void) throws(ScreenRefusal) -> any TerminalKeyboard
}

/// The keyboard of a terminal while a full screen has it, and how the terminal was found.
///
/// Between `enter` and `leave` the device sees to it that the terminal is given back however the process ends.
package protocol TerminalKeyboard: Sendable {
  /// Whether the terminal listens to this process now, not to another one of its shell.
  var isForeground: Bool { get }
  /// Keys come one by one and are not shown.
  func enter()
  /// News come from now on.
  func begin()
  /// As it was found.
  func leave()
  /// Another program has the terminal now, and has set its modes: they are left alone.
  func yield()
  /// Returns when the terminal has answered something, or does not within a tenth of a second.
  func waitForReply()
  /// Stops the process until it gets SIGCONT.
  func stopProcess()
  /// No news come any more.
  func end()
}

/// What a keyboard tells.
package enum KeyboardNews: Sendable {
  case input([InputEvent])
  case resized
  /// Ctrl-Z: the terminal has to be given back, and the process to be stopped.
  case suspend
  /// The process goes on, or stands in the foreground again.
  case resumed
  /// Nobody types any more: the window was closed.
  case closed
}
