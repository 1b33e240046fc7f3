/// A foreground or background colour.
package enum Color: Hashable, Sendable {
  /// One of the sixteen colours that every colour terminal has, according to its theme: 0–7 and the bright 8–15.
  case ansi(UInt8)
  /// One of the 256 colours of xterm's palette.
  case palette(UInt8)
  case rgb(UInt8, UInt8, UInt8)

  package static let red = Color.ansi(1)
  package static let green = Color.ansi(2)
  package static let yellow = Color.ansi(3)
  package static let brightRed = Color.ansi(9)
  package static let brightGreen = Color.ansi(10)

  /// The SGR parameters for this colour, or the nearest one that `depth` allows; empty without colours.
  ///
  /// According to ECMA-48, section 8.3.117, with xterm's 256 and direct colours (ITU-T T.416 with semicolons).
  func parameters(background: Bool, depth: ColorDepth) -> String {
    let base = background ? 10 : 0
    switch degraded(to: depth) {
    case nil: return ""
    case .ansi(let n): return n < 8 ? "\(30 + base + Int(n))" : "\(82 + base + Int(n))"
    case .palette(let n): return "\(38 + base);5;\(n)"
    case .rgb(let r, let g, let b): return "\(38 + base);2;\(r);\(g);\(b)"
    }
  }

  /// This colour, or the nearest one that `depth` allows.
  func degraded(to depth: ColorDepth) -> Color? {
    switch (self, depth) {
    case (_, .none): return nil
    case (.ansi(let n), _): return .ansi(n & 15)
    case (.palette(let n), .ansi16): return .ansi(UInt8(Self.nearest(to: Self.components(n), in: 0..<16)))
    case (.rgb(let r, let g, let b), .ansi16): return .ansi(UInt8(Self.nearest(to: (Int(r), Int(g), Int(b)), in: 0..<16)))
    case (.rgb(let r, let g, let b), .ansi256): return .palette(UInt8(Self.nearest(to: (Int(r), Int(g), Int(b)), in: 16..<256)))
    default: return self
    }
  }

  /// The nearest entry of xterm's palette; the first of several.
  private static func nearest(to wanted: (Int, Int, Int), in range: Range<Int>) -> Int {
    var best = (index: range.lowerBound, distance: Int.max)
    for index in range {
      let (r, g, b) = components(UInt8(index))
      let distance = (r - wanted.0) * (r - wanted.0) + (g - wanted.1) * (g - wanted.1) + (b - wanted.2) * (b - wanted.2)
      if distance < best.distance { best = (index, distance) }
    }
    return best.index
  }

  /// The red, green and blue components of an entry of xterm's palette: sixteen named colours, a cube of 6 × 6 × 6, 24 greys.
  private static func components(_ index: UInt8) -> (Int, Int, Int) {
    let n = Int(index)
    if n < 16 { return sixteen[n] }
    if n >= 232 { return (8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10) }
    func level(_ step: Int) -> Int { step == 0 ? 0 : 55 + step * 40 }
    return (level((n - 16) / 36), level((n - 16) / 6 % 6), level((n - 16) % 6))
  }

  private static let sixteen = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229), (127, 127, 127),
    (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
  ]
}
