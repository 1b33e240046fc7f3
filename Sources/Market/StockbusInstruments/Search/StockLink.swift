package import StockbusPlugin

/// A link to a symbol's page: `stocks://symbol/AAPL`, or the symbol alone.
package struct StockLink: Hashable, Sendable {
  package let symbol: Symbol

  /// Throws an error with one sentence if the text is not a link.
  package init(_ text: String) throws(CommandError) {
    guard let colon = text.firstRange(of: "://") else {
      symbol = try Self.symbol(text)
      return
    }
    guard text[..<colon.lowerBound].lowercased() == "stocks" else { throw CommandError("a link begins with stocks://") }
    let parts = text[colon.upperBound...].split(separator: "/")
    guard parts.count == 2, parts[0] == "symbol" else { throw CommandError("a link is stocks://symbol/NAME") }
    guard let name = Self.decoded(parts[1]) else { throw CommandError("a link's name is UTF-8 with %XX for what is special") }
    symbol = try Self.symbol(name)
  }

  private static func symbol(_ name: String) throws(CommandError) -> Symbol {
    do throws(TextError) { return try Symbol(name) } catch { throw CommandError(error.reason) }
  }

  /// The text with percent-encoding resolved: RFC 3986, section 2.1.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "%") {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
      bytes.append(value)
      rest.removeFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
