/// The full screen of one owner while it is on: what it was found like, what stands on it, and what waits for its end.
struct FullScreen {
  let owner: String
  let keyboard: any TerminalKeyboard
  let receive: @Sendable (ScreenInput) -> Void
  let usesMouse: Bool
  var screen: CellScreen
  /// The last frame, drawn again when the terminal comes back.
  var frame: CellFrame?
  var canSynchronize: Bool
  /// An answer of the terminal is still to come.
  var awaitsReply = false
  /// True while the terminal is somebody else's: after Ctrl-Z, or in the background.
  var isSuspended = false
  /// Lines that are printed when the screen is off again.
  var held: [(line: StyledLine, stream: OutputStream)] = []
  var heldOut = 0

  /// More are counted only.
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

/// What a printed line is to those who see a full screen.
public enum LineRole: Sendable, Hashable {
  /// Somebody asked for it: shown at once, and printed when the screen is off again.
  case output
  /// A line of the log, which the screen shows by itself; printed afterwards where it is important.
  case log(isImportant: Bool)
}
