/// An event for a program in full-screen mode.
package enum ScreenInput: Sendable, Hashable {
  case key(KeyPress)
  case mouse(MouseEvent)
  /// The size of the window has changed.
  case resized
  /// The terminal is available again after another program had it: everything must be redrawn.
  case resumed
  /// The live blocks of the other owners, in the order in which they were added.
  case panes([ScreenPane])
  /// Lines that other components have printed while the screen was on.
  case printed([StyledLine])
  /// The terminal was closed.
  case closed
}

/// The live block of an owner that does not have the screen.
package struct ScreenPane: Sendable, Hashable {
  package var owner: String
  package var lines: [StyledLine]

  package init(owner: String, lines: [StyledLine]) {
    self.owner = owner
    self.lines = lines
  }
}
