/// One line of text in pieces of different styles.
///
/// Safe by construction: every text goes through `terminalSafe`, so that no symbol or message can control the terminal.
package struct StyledLine: Hashable, Sendable {
  /// A piece of text in one style.
  package struct Run: Hashable, Sendable {
    /// Without control characters.
    package let text: String
    package let style: Style

    package init(_ text: String, _ style: Style = .plain) {
      self.text = text.terminalSafe
      self.style = style
    }
  }

  package private(set) var runs: [Run] = []

  package init() {}

  package init(_ text: String, _ style: Style = .plain) { append(text, style) }

  package init(_ runs: [Run]) { self.runs = runs }

  package mutating func append(_ text: String, _ style: Style = .plain) { runs.append(Run(text, style)) }

  package static func + (a: StyledLine, b: StyledLine) -> StyledLine { StyledLine(a.runs + b.runs) }

  /// The text without styles.
  package var text: String { runs.map(\.text).joined() }

  /// The columns that the line takes.
  package var displayWidth: Int { runs.reduce(0) { $0 + $1.text.displayWidth } }

  /// The longest prefix that takes at most `columns`.
  package func prefix(columns: Int) -> StyledLine {
    var left = columns
    var line = StyledLine()
    for run in runs {
      let shown = run.text.prefix(columns: left)
      line.append(String(shown), run.style)
      if shown.endIndex < run.text.endIndex { break }
      left -= shown.displayWidth
    }
    return line
  }
}

extension StyledLine: ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) { self.init(text) }
}

/// A line as bytes for a certain kind of terminal.
struct RenderedLine: Hashable {
  var bytes: [UInt8] = []
  /// The text that is shown, without escape sequences.
  var text = ""

  /// Renders `line`, with escape sequences only if `isStyled`; without UTF-8, other characters than ASCII become `?`.
  init(_ line: StyledLine, colors: ColorDepth, isStyled: Bool = true, isUTF8: Bool = true) {
    for run in line.runs where !run.text.isEmpty {
      let shown = isUTF8 ? run.text : Self.ascii(run.text)
      let sgr = isStyled ? run.style.sgr(colors) : []
      text += shown
      bytes += sgr
      bytes += shown.utf8
      if !sgr.isEmpty { bytes += Style.reset }
    }
  }

  /// The rows that the line takes on a terminal that wraps it at `columns`; a wide character is not split.
  func rows(in columns: Int) -> Int {
    if text.utf8.count <= columns { return 1 }
    var rows = 1
    var column = 0
    for character in text {
      let width = character.displayWidth
      if column + width > columns, column > 0 {
        rows += 1
        column = 0
      }
      column += width
    }
    return rows
  }

  private static func ascii(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    return String(text.flatMap { $0.isASCII ? [$0] : Array(repeating: "?", count: $0.displayWidth) })
  }
}
