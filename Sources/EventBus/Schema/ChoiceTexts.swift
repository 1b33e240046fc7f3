internal import MarketData

/// The texts of an enum's cases, found by the byte that stands for each in memory, so that none is asked for its name per event.
///
/// Unchecked because it points to memory that is written in `init` and lives as long as the process, as schemas do.
struct ChoiceTexts: @unchecked Sendable {
  /// By byte: what is written, empty where it is no case.
  private let texts: UnsafeBufferPointer<ImmortalBytes>

  /// Nil where a case does not take one byte, or is not read back as itself: such ones are asked.
  init?<Choice: FieldChoice>(_: Choice.Type) {
    guard MemoryLayout<Choice>.size == 1 else { return nil }
    let none = ImmortalBytes("")
    var texts = [ImmortalBytes](repeating: none, count: 256)
    for choice in Choice.allCases {
      var out = ByteWriter()
      out.reserve(choice.width)
      choice.write(to: &out)
      let text = out.string
      guard !text.isEmpty, Self.read(text, as: Choice.self) == Self.byte(of: choice) else { return nil }
      texts[Int(Self.byte(of: choice))] = ImmortalBytes(text)
    }
    let used = (texts.lastIndex { !$0.bytes.isEmpty } ?? -1) + 1
    let copy = UnsafeMutableBufferPointer<ImmortalBytes>.allocate(capacity: used)
    _ = copy.initialize(from: texts.prefix(used))
    self.texts = UnsafeBufferPointer(copy)
  }

  private static func byte<Choice>(of choice: Choice) -> UInt8 { withUnsafeBytes(of: choice) { $0[0] } }

  private static func read<Choice: FieldChoice>(_ text: String, as: Choice.Type) -> UInt8? {
    var text = text
    return text.withUTF8 { bytes in
      var reader = ByteReader(bytes)
      do throws(TextError) { return byte(of: try Choice(from: &reader)) } catch { return nil }
    }
  }

  /// The text of the case for which `byte` stands; empty where there is none.
  @inline(__always)
  func text(of byte: UInt8) -> UnsafeBufferPointer<UInt8> {
    Int(byte) < texts.count ? texts[Int(byte)].bytes : UnsafeBufferPointer(start: nil, count: 0)
  }

  /// The byte of the case that is written so; nil where there is none.
  func byte(of text: UnsafeBufferPointer<UInt8>) -> UInt8? {
    guard !text.isEmpty else { return nil }
    for at in 0..<texts.count where Self.same(texts[at].bytes, text) { return UInt8(truncatingIfNeeded: at) }
    return nil
  }

  @inline(__always)
  private static func same(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    for i in 0..<a.count where a[i] != b[i] { return false }
    return true
  }
}
