package import MarketData

/// A part of a symbol's name, in any case.
package struct NamePart: Hashable {
  private let text: String
  private let bytes: [UInt8]

  package init(_ text: String) {
    self.text = text.uppercased()
    bytes = Array(self.text.utf8)
  }

  /// The part in capitals.
  package var description: String { text }

  package func isIn(_ symbol: Symbol) -> Bool {
    let name = symbol.utf8
    if bytes.span.isIn(name.span, isFolding: true) { return true }
    return name.contains { $0 >= 0x80 } && symbol.description.uppercased().contains(text)
  }
}

extension Span<UInt8> {
  /// True if these bytes are a part of `other`; folding compares small ASCII letters as capitals.
  package func isIn(_ other: Span<UInt8>, isFolding: Bool = false) -> Bool {
    if isEmpty { return true }
    var start = 0
    while start + count <= other.count {
      var at = 0
      while at < count {
        let byte = other[start + at]
        if self[at] != (isFolding && byte &- 97 < 26 ? byte - 32 : byte) { break }
        at += 1
      }
      if at == count { return true }
      start += 1
    }
    return false
  }
}
