/// A block of lines that is drawn in place at the bottom of a terminal, below earlier output; it does not use the alternate screen.
///
/// A value without I/O: every method returns the bytes of one frame, to be written at once and in order.
package struct LiveScreen: Sendable {
  private var frame: ScreenFrame
  private let capabilities: TerminalCapabilities

  package init(_ capabilities: TerminalCapabilities) {
    self.capabilities = capabilities
    frame = ScreenFrame(size: capabilities.size)
  }

  /// True if a block is on the screen: the cursor is hidden, and long lines are cut.
  package var isLive: Bool { !frame.lines.isEmpty }

  /// Replaces the block by `block`, with the lines of `log` printed above it; sends only what has changed.
  ///
  /// The block is cut to the size of the terminal; lines of the log are printed completely.
  package mutating func show(_ block: [StyledLine], log: [StyledLine] = [], size: TerminalSize) -> [UInt8] {
    var next = ScreenFrame(size: size)
    next.lines = block.prefix(size.rows).map { render($0.prefix(columns: size.columns)) }
    defer { frame = next }
    return FrameDiff.bytes(from: frame, to: next, log: log.map(render), reflows: capabilities.reflows)
  }

  /// Leaves the block on the screen and moves the cursor below it.
  package mutating func finish() -> [UInt8] {
    defer { frame.lines = [] }
    return FrameDiff.finish(frame)
  }

  private func render(_ line: StyledLine) -> RenderedLine {
    RenderedLine(line, colors: capabilities.colors, isUTF8: capabilities.isUTF8)
  }
}
