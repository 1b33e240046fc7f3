/// The full screen of one owner while it is on: its keyboard, its contents, and the lines that wait for its end.
struct FullScreen {
  let owner: String
  let keyboard: any TerminalKeyboard
  let receive: @Sendable (ScreenInput) -> Void
  let usesMouse: Bool
  var screen: CellScreen
  /// The last frame, which is drawn again when the terminal is available again.
  var frame: CellFrame?
  var canSynchronize: Bool
  /// A response of the terminal is expected.
  var awaitsReply = false
  /// True while another program has the terminal: after Ctrl-Z, or in the background.
  var isSuspended = false
  /// Lines to be printed when the screen is off again.
  var held: [(line: StyledLine, stream: OutputStream)] = []
  var heldOut = 0

  /// How many lines are held, the newest ones; earlier lines are only counted.
  static let heldLimit = 1000

  mutating func hold(_ lines: [StyledLine], _ stream: OutputStream) {
    held += lines.map { ($0, stream) }
    let tooMany = held.count - Self.heldLimit
    if tooMany > 0 {
      held.removeFirst(tooMany)
      heldOut += tooMany
    }
  }
}

/// How a printed line is treated while a full screen is on.
package enum LineRole: Sendable, Hashable {
  /// Requested output: shown at once, and printed when the screen is off again.
  case output
  /// A log line, which the screen shows itself; printed afterwards if it is important.
  case log(isImportant: Bool)
}
