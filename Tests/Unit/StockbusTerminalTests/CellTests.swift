import TestSupport
import TestTerminal
import Testing

@testable import StockbusTerminal

@Suite struct CellTests {
  private static let texts = ["A", "a b", "189.25", "日本", "한", "é", "e\u{301}", "👩‍👩‍👧", "▲", "⡇⢇", "█▁", "x\u{1b}[2Jy", "❤️", "…", ""]
  private static let styles: [Style] = [
    .plain, Style(.red), Style(.brightGreen, bold: true), Style(.palette(200), on: .palette(17)),
    Style(.rgb(1, 2, 3), on: .rgb(200, 100, 50), dim: true, underlined: true), Style(inverse: true),
  ]

  private func change(_ frame: inout CellFrame, _ random: inout SplitMix) {
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let (row, column) = (Int.random(in: -1...frame.rows, using: &random), Int.random(in: -3...frame.columns + 1, using: &random))
      let style = Self.styles.randomElement(using: &random) ?? .plain
      switch Int.random(in: 0...9, using: &random) {
      case 0: frame.clear(row: row, from: column, to: column + Int.random(in: 0...9, using: &random), style)
      case 1: frame.restyle(row: row, from: column, to: column + 2) { $0.isBold.toggle() }
      default: frame.put(Self.texts.randomElement(using: &random) ?? "", row: row, column: column, style)
      }
    }
  }

  /// A terminal that shows something already.
  private func used(_ size: TerminalSize, _ disagrees: Set<Character>) -> ScreenModel {
    var model = ScreenModel(columns: size.columns, rows: size.rows, disagrees: disagrees)
    for row in 1...size.rows { model.feed(Array("\u{1b}[\(row);1H\(String(repeating: "?", count: size.columns))".utf8)) }
    return model
  }

  @Test(arguments: 0..<40)
  func `what is sent makes exactly the frame on a terminal`(seed: Int) {
    var random = SplitMix(UInt64(seed))
    var size = TerminalSize(columns: Int.random(in: 1...40, using: &random), rows: Int.random(in: 1...12, using: &random))
    var screen = CellScreen(colors: .trueColor, isUTF8: true)
    var frame = CellFrame(size: size)
    // The result must be right on terminals that show some characters wider or narrower.
    let disagrees: Set<Character> = seed % 2 == 0 ? [] : ["日", "한", "👩‍👩‍👧", "❤️"]
    var model = used(size, disagrees)
    for step in 0..<60 {
      if step % 20 == 19 {
        size = TerminalSize(columns: Int.random(in: 1...40, using: &random), rows: Int.random(in: 1...12, using: &random))
        frame = CellFrame(size: size, style: Self.styles[1])
        model = used(size, disagrees)
      }
      change(&frame, &random)
      let bytes = screen.show(frame, synchronized: step % 2 == 0)
      model.feed(bytes)
      for row in 0..<frame.rows {
        for column in 0..<frame.columns {
          // Half a character may keep its old style; a whole one must match the frame.
          let (got, wanted) = (model.cell(row: row, column: column), frame[row, column])
          #expect(got.text == wanted.text, "row \(row), column \(column), step \(step)")
          if !wanted.text.isEmpty { #expect(got.style == wanted.style, "row \(row), column \(column), step \(step)") }
        }
      }
      #expect(model.complaints == [])
      #expect(!model.isSynchronizing)
      #expect(screen.show(frame, synchronized: true) == [])
    }
  }

  @Test func `only what has changed is sent`() {
    var screen = CellScreen(colors: .ansi16, isUTF8: true)
    var frame = CellFrame(size: .init(columns: 20, rows: 3))
    _ = screen.show(frame, synchronized: false)
    frame.put("189.25", row: 1, column: 4, Style(.green))
    #expect(String(decoding: screen.show(frame, synchronized: false), as: UTF8.self) == "\u{1b}[2;5H\u{1b}[0m\u{1b}[32m189.25\u{1b}[0m")
    frame.put("189.26", row: 1, column: 4, Style(.green))
    #expect(String(decoding: screen.show(frame, synchronized: false), as: UTF8.self) == "\u{1b}[2;10H\u{1b}[0m\u{1b}[32m6\u{1b}[0m")
    #expect(screen.show(frame, synchronized: false) == [])
    screen.invalidate()
    #expect(String(decoding: screen.show(frame, synchronized: true), as: UTF8.self).hasPrefix("\u{1b}[?2026h\u{1b}[0m\u{1b}[2J"))
  }

  @Test func `where only ASCII is safe signs have plain ones in their place`() {
    var screen = CellScreen(colors: .none, isUTF8: false)
    var frame = CellFrame(size: .init(columns: 16, rows: 1))
    frame.put("▲▼●│─█▁⡇→日é", row: 0, column: 0)
    #expect(String(decoding: screen.show(frame, synchronized: false), as: UTF8.self).contains("^v*|-#_*-???"))
  }

  @Test func `text is cut at the edges, and wide characters are not cut in two`() {
    var frame = CellFrame(size: .init(columns: 4, rows: 1))
    #expect(frame.put("日本語", row: 0, column: 0) == 4)
    #expect(frame.text(row: 0) == "日本")
    frame.put("日本語", row: 0, column: 1)
    #expect(frame.text(row: 0) == " 日")
    frame.put("x", row: 0, column: 2)
    #expect(frame.text(row: 0) == "  x")
    frame.put("abc", row: 0, column: -1, width: 2)
    #expect(frame.text(row: 0) == "b x")
    frame.put("\u{1b}[31mred", row: 0, column: 0)
    #expect(frame.text(row: 0) == "[31m")
    #expect(frame.put("far", row: 5, column: 0) == 0)
  }

  @Test func `a row is a line in pieces of one look`() {
    var frame = CellFrame(size: .init(columns: 10, rows: 1))
    frame.put("AAPL", row: 0, column: 0, Style(bold: true))
    frame.put("日", row: 0, column: 5, Style(.red))
    #expect(frame.line(row: 0).runs == [.init("AAPL", Style(bold: true)), .init(" "), .init("日", Style(.red))])
  }
}
