/// How text looks: colours and attributes.
public struct Style: Hashable, Sendable {
  public var foreground: Color?
  public var background: Color?
  public var isBold: Bool
  public var isDim: Bool
  public var isItalic: Bool
  public var isUnderlined: Bool
  /// Foreground and background change places.
  public var isInverse: Bool

  public init(
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

  /// The terminal's own look.
  public static let plain = Style()

  /// The escape sequence (SGR) that turns this style on after a reset, with colours as near as `depth` has them; empty where
  /// there is nothing to turn on. Attributes stay where colours are unwanted: `NO_COLOR` speaks of colours only.
  public func sgr(_ depth: ColorDepth) -> [UInt8] {
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

  /// Back to the terminal's own look.
  public static let reset = Array("\u{1b}[0m".utf8)
}
