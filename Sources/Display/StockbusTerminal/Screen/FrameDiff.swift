/// The live part at the bottom of the screen: a block of lines rendered for a size, which it does not exceed.
///
/// The cursor is at the beginning of the last line, or, without lines, at the beginning of an empty one.
struct ScreenFrame: Hashable {
  var lines: [RenderedLine] = []
  var size: TerminalSize
}

/// Computes the bytes from one frame to the next; pure functions.
enum FrameDiff {
  /// The bytes that change `old` on the screen to `new`, with the lines of `log` printed above it, which stay and scroll away.
  ///
  /// Only lines that differ are sent, each cleared first, because a terminal may draw a text wider or narrower than expected. Everything is
  /// redrawn if lines are printed above it, or if the size has changed. `reflows` is true if the terminal rewraps lines when it gets
  /// narrower, because then a line of the old frame takes several rows.
  static func bytes(from old: ScreenFrame, to new: ScreenFrame, log: [RenderedLine] = [], reflows: Bool = true) -> [UInt8] {
    var out: [UInt8] = []
    if old.lines.isEmpty {
      for line in log { out += line.bytes + Sequences.newLine }
      if new.lines.isEmpty { return out }
      out += Sequences.begin
      draw(new.lines, into: &out)
    } else if old.size != new.size || !log.isEmpty {
      out += Sequences.syncBegin
      out += Sequences.up(rowsAboveCursor(old, in: new.size, reflows))
      out.append(Sequences.lineStart)
      out += Sequences.clearBelow
      if !log.isEmpty {
        out += Sequences.wrap
        for line in log { out += line.bytes + Sequences.newLine }
        out += Sequences.noWrap
      }
      draw(new.lines, into: &out)
      if new.lines.isEmpty { out += Sequences.end }
      out += Sequences.syncEnd
    } else if old.lines != new.lines {
      change(old.lines, new.lines, &out)
      if new.lines.isEmpty { out += Sequences.end }
    }
    return out
  }

  /// The bytes that leave `frame` on the screen and restore the terminal, with the cursor below the frame.
  static func finish(_ frame: ScreenFrame) -> [UInt8] { frame.lines.isEmpty ? [] : Sequences.newLine + Sequences.end }

  private static func rowsAboveCursor(_ frame: ScreenFrame, in size: TerminalSize, _ reflows: Bool) -> Int {
    frame.lines.dropLast().reduce(0) { $0 + (reflows ? $1.rows(in: size.columns) : 1) }
  }

  private static func draw(_ lines: [RenderedLine], into out: inout [UInt8]) {
    for (row, line) in lines.enumerated() {
      if row > 0 { out += Sequences.newLine }
      out += line.bytes
    }
    if lines.last.map({ !$0.bytes.isEmpty }) ?? false { out.append(Sequences.lineStart) }
  }

  private static func change(_ old: [RenderedLine], _ new: [RenderedLine], _ out: inout [UInt8]) {
    var row = old.count - 1
    func go(to target: Int, _ out: inout [UInt8]) {
      out += target < row ? Sequences.up(row - target) : Sequences.down(target - row)
      row = target
    }
    for index in 0..<min(old.count, new.count) where old[index] != new[index] {
      go(to: index, &out)
      out += Sequences.clearLine + new[index].bytes
      if !new[index].bytes.isEmpty { out.append(Sequences.lineStart) }
    }
    if new.count < old.count {
      go(to: new.count, &out)
      out += Sequences.clearBelow
      go(to: max(0, new.count - 1), &out)
    } else {
      go(to: old.count - 1, &out)
      // A new line and not a move, because at the bottom of the screen it must scroll.
      for line in new[old.count...] {
        out += Sequences.newLine + line.bytes
        if !line.bytes.isEmpty { out.append(Sequences.lineStart) }
      }
    }
  }
}
