/// One cell of a screen: a character with its style.
package struct Cell: Hashable, Sendable {
  /// A user-perceived character, one or two columns wide; empty for the right half of a wide one.
  package var text: String
  package var style: Style

  package init(_ text: String = " ", _ style: Style = .plain) {
    self.text = text
    self.style = style
  }

  /// True for the right half of a wide character.
  var isContinuation: Bool { text.isEmpty }

  /// Texts of the ASCII characters, so that drawing plain text allocates no strings.
  static let ascii: [String] = (0..<128).map { $0 < 0x20 || $0 == 0x7f ? " " : String(UnicodeScalar(UInt8($0))) }
}
