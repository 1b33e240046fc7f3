import MarketData
import TestSupport
import Testing

/// What must not be sent to a terminal, as bytes and as characters.
@Suite struct TerminalTextTests {
  private func json(_ text: String) -> String {
    var out = ByteWriter()
    var text = text
    text.withUTF8 { out.append(json: $0) }
    return out.string
  }

  /// True if the text has no control characters of 7 or 8 bits.
  private func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.terminalEffect(behind: nil) == .none }
  }

  @Test func `lines keep their ends and tabs, and show what would be obeyed`() {
    #expect(TerminalText.harmless("a\tb\nAAPL 189.25 Zürich €\n") == "a\tb\nAAPL 189.25 Zürich €\n")
    #expect(TerminalText.harmless("\u{1b}]0;title\u{7}x\r\n") == "\\u{1b}]0;title\\u{7}x\\r\n")
    #expect(TerminalText.harmless("\u{9b}31m \u{7f} \u{202e}fdp.exe") == "\\u{9b}31m \\u{7f} \\u{202e}fdp.exe")
    #expect(TerminalText.harmless("AA\u{200b}PL AAPL\u{2060} AAPL\u{200d}\n") == "AA\\u{200b}PL AAPL\\u{2060} AAPL\\u{200d}\n")
    // Joiners belong to emoji and to letters of some scripts.
    for text in ["👩\u{200d}🚀", "❤\u{fe0f}", "می\u{200c}خواهم"] { #expect(TerminalText.harmless(text) == text && visible(text) == text) }
    #expect(visible("AAPL\u{a0}\u{2003}\u{ad}") == "AAPL\\u{a0}\\u{2003}\\u{ad}")
    // U+009B as one byte, which is not UTF-8: an 8-bit terminal takes it as the same control character.
    let bytes: [UInt8] = [0x41, 0x9b, 0x33, 0x31, 0x6d]
    #expect(bytes.withUnsafeBytes { TerminalText.harmless($0) } == Array("A\u{fffd}31m".utf8))
    #expect(Array("Zürich".utf8).withUnsafeBytes { TerminalText.harmless($0) } == nil)
  }

  @Test func `JSON escapes every control character, and nothing else`() {
    #expect(json("a\u{1b}[0m\u{7f}b") == #""a\u001b[0m\u007fb""#)
    #expect(json("\u{80}\u{85}\u{9b}\u{9f}") == #""\u0080\u0085\u009b\u009f""#)
    // Neighbours: U+00A0, letters whose last byte is that of a control, two characters that share a lead.
    #expect(json("\u{a0}\u{c0}À\u{49b}é") == "\"\u{a0}\u{c0}À\u{49b}é\"")
    #expect(json("\u{9b}\u{9b}\u{a0}") == "\"\\u009b\\u009b\u{a0}\"")
  }

  @Test func `every character either passes or is harmless afterwards`() {
    for value in 0...0x2100 as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a" + String(Character(scalar)) + "b"
      #expect(isHarmless(TerminalText.harmless(text)))
      #expect(isHarmless(visible(text)))
      if scalar.terminalEffect == .control { #expect(isHarmless(json(text))) }
    }
  }

  @Test func `any bytes become harmless lines`() {
    var random = SplitMix(9)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let out = bytes.withUnsafeBytes { TerminalText.harmless($0) } ?? bytes
      #expect(isHarmless(String(decoding: out, as: UTF8.self)), "\(bytes)")
    }
  }

  @Test func `a byte is put before others that were written`() {
    var out = ByteWriter(capacity: 64)
    out.append(String(repeating: "x", count: 64))
    out.insert(65, at: 0)
    out.insert(66, at: 65)
    out.insert(67, at: 1)
    #expect(out.string == "AC" + String(repeating: "x", count: 64) + "B")
  }
}
