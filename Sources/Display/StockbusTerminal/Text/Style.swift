/// The style of text: colours and attributes.
package struct Style: Hashable, Sendable {
  package var foreground: Color?
  package var background: Color?
  package var isBold: Bool
  package var isDim: Bool
  package var isItalic: Bool
  package var isUnderlined: Bool
  /// Exchanges foreground and background.
  package var isInverse: Bool

  package init(
    _ foreground: Color? = nil, on background: Color? = nil, bold: Bool = false, dim: Bool = false, italic: Bool = false,
    underlined: Bool = false, inverse: Bool = false
  ) {
    self.foreground = foreground
    self.background = background
    isBold = bold
    isDim = dim
    isItalic = italic
    isUnderlined = underlined
    isInverse = inverse
  }

  /// The terminal's default style.
  package static let plain = Style()

  /// The escape sequence (SGR) that sets this style after a reset, with the nearest colours that `depth` allows; empty if there is nothing
  /// to set. Attributes are used even without colours, because `NO_COLOR` concerns only colours.
  package func sgr(_ depth: ColorDepth) -> [UInt8] {
    var parameters: [String] = []
    if isBold { parameters.append("1") }
    if isDim { parameters.append("2") }
    if isItalic { parameters.append("3") }
    if isUnderlined { parameters.append("4") }
    if isInverse { parameters.append("7") }
    if let foreground { parameters.append(foreground.parameters(background: false, depth: depth)) }
    if let background { parameters.append(background.parameters(background: true, depth: depth)) }
    parameters.removeAll { $0.isEmpty }
    return parameters.isEmpty ? [] : Array("\u{1b}[\(parameters.joined(separator: ";"))m".utf8)
  }

  /// Resets to the terminal's default style.
  package static let reset = Array("\u{1b}[0m".utf8)
}
