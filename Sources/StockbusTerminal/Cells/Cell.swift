/// One place of a screen: a character with its look.
public struct Cell: Hashable, Sendable {
  /// A character as people see it, one or two columns wide; empty for the right half of the wide one before it.
  public var text: String
  public var style: Style

  public init(_ text: String = " ", _ style: Style = .plain) {
    self.text = text
    self.style = style
  }

  /// The right half of a wide character.
  var isContinuation: Bool { text.isEmpty }

  /// One-character texts of ASCII, so that drawing plain text makes no strings.
  static let ascii: [String] = (0..<128).map { $0 < 0x20 || $0 == 0x7f ? " " : String(UnicodeScalar(UInt8($0))) }
}
