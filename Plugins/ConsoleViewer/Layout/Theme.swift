internal import StockbusPlugin
internal import StockbusTerminal

/// The colour themes of the screen.
package enum ThemeName: String, Choice {
  case dark, light
  /// Black, white and full colours.
  case highContrast = "high_contrast"
  /// Blue for up and orange for down, which people with red-green colour blindness can distinguish.
  case colourBlind = "colour_blind"

  var next: ThemeName {
    let all = Self.allCases
    return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
  }

  var title: String { rawValue.split(separator: "_").joined(separator: " ") }
}

/// The colours by meaning; a terminal with fewer colours gets the nearest ones.
struct Theme: Hashable {
  /// Red, green, blue.
  struct Tone: Hashable {
    var r: UInt8
    var g: UInt8
    var b: UInt8

    init(_ rgb: UInt32) {
      r = UInt8(rgb >> 16 & 255)
      g = UInt8(rgb >> 8 & 255)
      b = UInt8(rgb & 255)
    }

    var color: Color { .rgb(r, g, b) }

    /// A mixture of this colour and `part`, 0 to 1, of another.
    func mixed(with other: Tone, _ part: Double) -> Color {
      func mix(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(max(0, min(255, (Double(a) * (1 - part) + Double(b) * part).rounded()))) }
      return .rgb(mix(r, other.r), mix(g, other.g), mix(b, other.b))
    }
  }

  var ground: Tone
  var text: Tone
  var muted: Tone
  var accent: Tone
  /// Head and status line.
  var bar: Tone
  var selected: Tone
  var up: Tone
  var down: Tone
  /// The background of a price that has just changed.
  var flashUp: Tone
  var flashDown: Tone
  /// The text on such a background.
  var flashText: Tone
  var warning: Tone
  var error: Tone

  static func named(_ name: ThemeName) -> Theme {
    switch name {
    case .dark: dark
    case .light: light
    case .highContrast: highContrast
    case .colourBlind: colourBlind
    }
  }

  static let dark = Theme(
    ground: Tone(0x101418), text: Tone(0xd8dee4), muted: Tone(0x7d8790), accent: Tone(0x6cb6ff), bar: Tone(0x1e262e),
    selected: Tone(0x2b3a4a), up: Tone(0x57d364), down: Tone(0xff6b64), flashUp: Tone(0x1f8f3a), flashDown: Tone(0xb3261e),
    flashText: Tone(0xffffff), warning: Tone(0xe3b341), error: Tone(0xff6b64))
  static let light = Theme(
    ground: Tone(0xffffff), text: Tone(0x1f2328), muted: Tone(0x6e7781), accent: Tone(0x0550ae), bar: Tone(0xe6eaef),
    selected: Tone(0xcfe3fb), up: Tone(0x116329), down: Tone(0xb3261e), flashUp: Tone(0x8ee6a0), flashDown: Tone(0xffa8a0),
    flashText: Tone(0x000000), warning: Tone(0x7d4e00), error: Tone(0xb3261e))
  static let highContrast = Theme(
    ground: Tone(0x000000), text: Tone(0xffffff), muted: Tone(0xc8c8c8), accent: Tone(0xffff00), bar: Tone(0x303030),
    selected: Tone(0x0000a8), up: Tone(0x00ff00), down: Tone(0xff5c5c), flashUp: Tone(0x00d000), flashDown: Tone(0xff0000),
    flashText: Tone(0x000000), warning: Tone(0xffff00), error: Tone(0xff5c5c))
  /// Blue and orange of Okabe and Ito, "Color Universal Design" (2008).
  static let colourBlind = Theme(
    ground: Tone(0x101418), text: Tone(0xe2e6ea), muted: Tone(0x8a939b), accent: Tone(0xf0e442), bar: Tone(0x1e262e),
    selected: Tone(0x39424c), up: Tone(0x56b4e9), down: Tone(0xe69f00), flashUp: Tone(0x0072b2), flashDown: Tone(0xd55e00),
    flashText: Tone(0xffffff), warning: Tone(0xf0e442), error: Tone(0xe69f00))
}
