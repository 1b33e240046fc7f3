/// What a program in full-screen mode is told.
public enum ScreenInput: Sendable, Hashable {
  case key(KeyPress)
  case mouse(MouseEvent)
  /// The window has another size now.
  case resized
  /// The terminal is ours again after it was somebody else's: everything has to be drawn.
  case resumed
  /// The live blocks of the other owners, in the order in which they came.
  case panes([ScreenPane])
  /// Lines that somebody printed while the screen was on.
  case printed([StyledLine])
  /// There is no terminal any more.
  case closed
}

/// The live block of somebody who does not have the screen.
public struct ScreenPane: Sendable, Hashable {
  public var owner: String
  public var lines: [StyledLine]

  public init(owner: String, lines: [StyledLine]) {
    self.owner = owner
    self.lines = lines
  }
}
