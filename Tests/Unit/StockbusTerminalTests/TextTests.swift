import TestSupport
import Testing

@testable import StockbusTerminal

@Suite struct TextTests {
  @Test(arguments: [
    ("AAPL", 4), ("", 0), ("東京", 4), ("é", 1), ("e\u{301}", 1), ("한국", 4), ("\u{1112}\u{1161}\u{11ab}", 2), ("ﾊ", 1), ("Ａ", 2),
    ("🚀", 2), ("🇨🇭", 2), ("👩‍👩‍👧", 2), ("👍🏽", 2), ("❤", 1), ("❤\u{fe0f}", 2), ("→▁█…", 4), ("a\u{200b}b", 2), ("\u{301}", 0),
    ("1\u{fe0f}\u{20e3}", 2),
    ("Ελληνικά", 8), ("μ", 1), ("½", 1), ("\u{ad}", 0), ("€", 1), ("\u{7}", 0),
  ])
  func `counts columns`(text: String, columns: Int) {
    #expect(text.displayWidth == columns)
  }

  @Test func `cuts by columns and never through a wide character`() {
    #expect("東京都".prefix(columns: 5) == "東京")
    #expect("東京都".prefix(columns: 1) == "")
    #expect("e\u{301}a".prefix(columns: 1) == "e\u{301}")
    #expect("abc".prefix(columns: -1) == "")
    #expect("Berkshire".truncated(columns: 9) == "Berkshire")
    #expect("Berkshire".truncated(columns: 8) == "Berkshi…")
    #expect("東京都".truncated(columns: 5) == "東京…")
    #expect("東京都".truncated(columns: 4) == "東…")
    #expect("abc".truncated(columns: 2, ellipsis: "...") == "ab")
    #expect("abc".truncated(columns: 0) == "")
  }

  @Test func `fills to exactly the wanted columns`() {
    #expect("12.5".padded(columns: 6, alignment: .trailing) == "  12.5")
    #expect("12.5".padded(columns: 7, alignment: .center) == " 12.5  ")
    #expect("東京都".padded(columns: 4) == "東… ")
    for columns in 0...12 {
      for text in ["", "a", "東京都", "e\u{301}東🚀xyz"] { #expect(text.padded(columns: columns).displayWidth == columns) }
    }
  }

  @Test(arguments: [
    ("AAPL", "AAPL"), ("\u{1b}[2J\u{1b}]0;title\u{7}", "[2J]0;title"), ("a\u{9b}31mb", "a31mb"), ("a\tb\nc\r\nd", "a b c  d"),
    ("\u{0}\u{7f}x", "x"),
    ("a\u{2028}b", "a b"), ("\u{202e}LPAA", "\u{fffd}LPAA"),
    ("AA\u{200b}PL", "AA\u{fffd}PL"), ("AAPL\u{200d}\u{fe0f}", "AAPL\u{fffd}\u{fffd}"), ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥"),
    ("é東🚀👩‍👩‍👧", "é東🚀👩‍👩‍👧"), ("e\u{301}", "e\u{301}"), ("a\u{85}b", "a b"),
  ])
  func `takes out whatever a terminal would obey`(text: String, safe: String) {
    #expect(text.terminalSafe == safe)
    #expect(StyledLine(text).text == safe)
  }

  @Test func `limits the marks on one character`() {
    let text = "a" + String(repeating: "\u{301}", count: 1000) + "b"
    #expect(text.terminalSafe.unicodeScalars.count == 18)
  }

  @Test func `no text at all makes a control byte`() {
    var random = SplitMix(7)
    for _ in 0..<500 {
      let scalars = (0..<20).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0..<(Bool.random(using: &random) ? 0x100 : 0x3000), using: &random))
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      let bytes = RenderedLine(StyledLine(text), colors: .trueColor).bytes
      #expect(!bytes.contains { $0 < 0x20 || $0 == 0x7f })
      #expect(!String(decoding: bytes, as: UTF8.self).unicodeScalars.contains { (0x80..<0xa0).contains($0.value) })
    }
  }

  private func sgr(_ style: Style, _ depth: ColorDepth) -> String {
    String(decoding: style.sgr(depth), as: UTF8.self).replacing("\u{1b}", with: "⎋")
  }

  @Test func `colours degrade to what the terminal has`() {
    let style = Style(.rgb(255, 0, 10), on: .palette(28), bold: true)
    #expect(sgr(style, .trueColor) == "⎋[1;38;2;255;0;10;48;5;28m")
    #expect(sgr(style, .ansi256) == "⎋[1;38;5;196;48;5;28m")
    #expect(sgr(style, .ansi16) == "⎋[1;91;42m")
    #expect(sgr(style, .none) == "⎋[1m")
    #expect(sgr(Style(.red, on: .ansi(12)), .trueColor) == "⎋[31;104m")
    #expect(sgr(Style(.red), .none) == "")
    #expect(sgr(.plain, .trueColor) == "")
    #expect(sgr(Style(dim: true, italic: true, underlined: true, inverse: true), .none) == "⎋[2;3;4;7m")
    #expect(sgr(Style(.rgb(8, 8, 8)), .ansi256) == "⎋[38;5;232m")
    #expect(sgr(Style(.rgb(95, 135, 175)), .ansi256) == "⎋[38;5;67m")
    #expect(sgr(Style(.ansi(200)), .ansi16) == "⎋[90m")
  }

  @Test func `a line is cut across its pieces`() {
    let line = StyledLine("ab", Style(.red)) + StyledLine("東京") + "x"
    #expect(line.displayWidth == 7)
    #expect(line.prefix(columns: 5).text == "ab東")
    #expect(line.prefix(columns: 1).text == "a")
    let plain = RenderedLine(line, colors: .none, isStyled: false)
    #expect(plain.bytes == Array("ab東京x".utf8))
    #expect(RenderedLine(line, colors: .ansi16, isUTF8: false).bytes == Array("\u{1b}[31mab\u{1b}[0m????x".utf8))
  }

  @Test func `counts the rows of a broken line`() {
    func rows(_ text: String, _ columns: Int) -> Int { RenderedLine(StyledLine(text), colors: .none).rows(in: columns) }
    #expect(rows("", 5) == 1)
    #expect(rows("abcde", 5) == 1)
    #expect(rows("abcdef", 5) == 2)
    #expect(rows("東京東京東", 3) == 5)
    #expect(rows("éé", 2) == 1)
  }
}
