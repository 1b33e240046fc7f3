import TestSupport
import Testing

@testable import StockbusTerminal

@Suite struct InputTests {
  private func decode(_ text: String) -> [InputEvent] {
    var decoder = InputDecoder()
    return decoder.feed(text.utf8) + decoder.timeout()
  }

  private func key(_ key: Key, _ modifiers: KeyModifiers = []) -> [InputEvent] { [.key(KeyPress(key, modifiers))] }

  @Test(
    arguments: [
      ("a", Key.character("a"), []), ("Ä", .character("Ä"), []), ("日", .character("日"), []), ("\r", .enter, []), ("\n", .enter, []),
      ("\t", .tab, []), ("\u{7f}", .backspace, []), ("\u{1}", .character("a"), KeyModifiers.control), ("\u{1b}", .escape, []),
      ("\u{1b}[A", .up, []), ("\u{1b}OA", .up, []), ("\u{1b}[1;5C", .right, .control),
      ("\u{1b}[1;2D", .left, .shift), ("\u{1b}[H", .home, []), ("\u{1b}[4~", .end, []), ("\u{1b}[5~", .pageUp, []),
      ("\u{1b}[6;3~", .pageDown, .alt),
      ("\u{1b}[3~", .delete, []), ("\u{1b}[Z", .tab, .shift), ("\u{1b}OP", .function(1), []), ("\u{1b}[15~", .function(5), []),
      ("\u{1b}[24~", .function(12), []), ("\u{1b}[[B", .function(2), []), ("\u{1b}[1;3B", .down, .alt),
      ("\u{1b}[97;5u", .character("a"), .control),
      ("\u{1b}[113;3u", .character("q"), .alt), ("\0", .character(" "), .control),
    ] as [(String, Key, KeyModifiers)])
  func `keys`(text: String, expected: Key, modifiers: KeyModifiers) {
    #expect(decode(text) == key(expected, modifiers))
  }

  @Test func `the mouse presses, releases and scrolls, anywhere`() {
    #expect(decode("\u{1b}[<0;10;5M") == [.mouse(MouseEvent(.press(0), row: 4, column: 9))])
    #expect(decode("\u{1b}[<0;10;5m") == [.mouse(MouseEvent(.release, row: 4, column: 9))])
    #expect(decode("\u{1b}[<64;300;200M") == [.mouse(MouseEvent(.wheelUp, row: 199, column: 299))])
    #expect(decode("\u{1b}[<81;1;1M") == [.mouse(MouseEvent(.wheelDown, row: 0, column: 0, modifiers: .control))])
    #expect(decode("\u{1b}[<35;1;1M") == [])
    #expect(decode("\u{1b}[<0;0;0M") == [])
  }

  @Test func `the terminal's answers are no keys`() {
    #expect(decode("\u{1b}[?2026;2$y") == [.mode(2026, setting: 2)])
    #expect(decode("\u{1b}[?62;22c") == [])
    #expect(decode("\u{1b}[200~") == [])
    #expect(decode("\u{1b}[I") == [])
  }

  @Test func `Escape is a key once nothing follows it`() {
    var decoder = InputDecoder()
    #expect(decoder.feed([0x1b]) == [])
    #expect(decoder.isPending)
    #expect(decoder.timeout() == key(.escape))
    #expect(!decoder.isPending)
    #expect(decoder.feed([0x1b]) == [])
    #expect(decoder.feed(Array("[A".utf8)) == key(.up))
    #expect(decode("\u{1b}\u{1b}") == key(.escape) + key(.escape))
  }

  @Test func `Escape and another key are two keys, however quickly they come`() {
    #expect(decode("\u{1b}q") == key(.escape) + key(.character("q")))
    #expect(decode("\u{1b}é") == key(.escape) + key(.character("é")))
    #expect(decode("\u{1b}\r") == key(.escape) + key(.enter))
    #expect(decode("\u{1b}Oq") == key(.escape) + key(.character("O")) + key(.character("q")))
    #expect(decode("\u{1b}\u{1b}[B") == key(.escape) + key(.down))
    #expect(decode("\u{1b}\u{1b}\u{1b}q") == key(.escape) + key(.escape) + key(.escape) + key(.character("q")))
  }

  @Test func `what is broken is skipped, and what follows is understood`() {
    #expect(decode("\u{1b}[12\u{1b}[Ax") == key(.up) + key(.character("x")))
    var decoder = InputDecoder()
    #expect(decoder.feed([0xff, 0xc3, 0x28, 0x80, 0x61]) == key(.character("(")) + key(.character("a")))
    #expect(decoder.feed(Array("\u{1b}[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 500)) == key(.escape))
    #expect(decoder.feed([0x62]) == key(.character("b")))
  }

  @Test func `where the bytes are cut makes no difference`() {
    let pieces = [
      "a", "é", "日", "👩", "\r", "\u{1b}[A", "\u{1b}OB", "\u{1b}[1;5C", "\u{1b}[<0;10;5M", "\u{1b}[15~", "\u{1b}[?2026;1$y", "\u{1b}x",
      "\u{1b}[[A",
      "\u{1}", "\u{1b}\u{1b}[D",
    ]
    var random = SplitMix(9)
    for _ in 0..<rounds(300) {
      let text = (0..<Int.random(in: 1...20, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let bytes = Array(text.utf8)
      var whole = InputDecoder()
      let expected = whole.feed(bytes) + whole.timeout()
      var cut = InputDecoder()
      var events: [InputEvent] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...4, using: &random)
        events += cut.feed(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      events += cut.timeout()
      #expect(events == expected)
    }
  }

  @Test func `any bytes do no harm and nothing is left over`() {
    var random = SplitMix(21)
    for _ in 0..<rounds(500) {
      var decoder = InputDecoder()
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        Bool.random(using: &random)
          ? [0x1b, 0x5b, 0x3b, 0x3c, 0x4d, 0x31][Int.random(in: 0..<6, using: &random)] : UInt8.random(in: 0...255, using: &random)
      }
      _ = decoder.feed(bytes)
      _ = decoder.timeout()
      #expect(!decoder.isPending)
    }
  }
}
