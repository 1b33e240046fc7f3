/// Patterns as file names know them: `*` any text, `?` one character, everything else itself.
public enum Glob {
  /// True where `text` holds a `*` or a `?`.
  public static func isPattern(_ text: String) -> Bool { text.utf8.contains { $0 == 42 || $0 == 63 } }

  /// Why `text` can be neither the name of a symbol nor a pattern of names; nil where it can.
  public static func fault(in text: String) -> String? {
    if isPattern(text) { return text.utf8.count > 64 ? "a pattern has at most 64 bytes" : nil }
    do throws(TextError) { _ = try Symbol(text) } catch { return error.reason }
    return nil
  }

  /// True where `pattern` describes the whole of `name`, both in UTF-8.
  ///
  /// Greedy with one step back, so never worse than the product of the lengths.
  public static func matches(_ name: UnsafeBufferPointer<UInt8>, _ pattern: [UInt8]) -> Bool {
    var n = 0
    var p = 0
    var star = -1
    var mark = 0
    while n < name.count {
      if p < pattern.count, pattern[p] == 42 {
        star = p
        mark = n
        p += 1
      } else if p < pattern.count, pattern[p] == 63 {
        p += 1
        n += 1
        while n < name.count, name[n] & 0xc0 == 0x80 { n += 1 }  // the rest of one character
      } else if p < pattern.count, pattern[p] == name[n] {
        p += 1
        n += 1
      } else if star >= 0 {
        p = star + 1
        mark += 1
        n = mark
      } else {
        return false
      }
    }
    while p < pattern.count, pattern[p] == 42 { p += 1 }
    return p == pattern.count
  }
}
