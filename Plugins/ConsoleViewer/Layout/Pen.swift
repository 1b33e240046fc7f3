internal import StockbusTerminal

/// The styles of everything on the screen: a theme applied to a terminal's number of colours.
struct Pen {
  let theme: Theme
  let depth: ColorDepth

  var isColoured: Bool { depth != .none }

  private func style(_ tone: Theme.Tone, on ground: Theme.Tone? = nil, bold: Bool = false, dim: Bool = false) -> Style {
    Style(tone.color, on: (ground ?? theme.ground).color, bold: bold, dim: dim && !isColoured)
  }

  var text: Style { style(theme.text) }
  var strong: Style { style(theme.text, bold: true) }
  var muted: Style { style(theme.muted, dim: true) }
  var accent: Style { style(theme.accent, bold: true) }
  var warning: Style { style(theme.warning, bold: true) }
  var error: Style { style(theme.error, bold: true) }
  var bar: Style { isColoured ? style(theme.text, on: theme.bar) : Style(inverse: true) }
  var barMuted: Style { isColoured ? style(theme.muted, on: theme.bar) : Style(inverse: true) }
  var barStrong: Style { isColoured ? style(theme.accent, on: theme.bar, bold: true) : Style(bold: true, inverse: true) }
  var barWarning: Style { isColoured ? style(theme.warning, on: theme.bar, bold: true) : Style(bold: true, inverse: true) }
  var barError: Style { isColoured ? style(theme.error, on: theme.bar, bold: true) : Style(bold: true, inverse: true) }
  /// The tab that is shown.
  var tab: Style { isColoured ? style(theme.ground, on: theme.accent, bold: true) : Style(bold: true) }
  var head: Style { isColoured ? style(theme.muted, on: theme.bar, bold: true) : Style(bold: true, underlined: true) }
  var headSorted: Style { isColoured ? style(theme.accent, on: theme.bar, bold: true) : Style(bold: true, underlined: true) }

  func direction(_ sign: Int64) -> Style { sign == 0 ? muted : style(sign > 0 ? theme.up : theme.down) }

  /// Gives a style the background of the chosen row.
  func select(_ style: inout Style) {
    if isColoured { style.background = theme.selected.color } else { style.isInverse = true }
  }

  // MARK: Flashes

  /// The number of steps in which a flash fades.
  var flashSteps: Int {
    switch depth {
    case .trueColor: 8
    case .ansi256: 5
    case .ansi16: 3
    case .none: 2
    }
  }

  /// The style of a price that changed `age` ago; nil when the flash has faded.
  func flash(age: Int64, of length: Int64, isUp: Bool, isSelected: Bool = false) -> Style? {
    guard length > 0, age >= 0, age < length else { return nil }
    let step = Int(Double(age) / Double(length) * Double(flashSteps))
    let ground = isSelected ? theme.selected : theme.ground
    let (bright, tone) = isUp ? (theme.flashUp, theme.up) : (theme.flashDown, theme.down)
    switch depth {
    case .none: return step == 0 ? Style(bold: true, inverse: !isSelected) : Style(bold: true)
    case .ansi16:
      switch step {
      case 0: return Style(theme.flashText.color, on: bright.color, bold: true)
      case 1: return Style(tone.color, on: ground.color, bold: true)
      default: return Style(tone.color, on: ground.color)
      }
    case .ansi256, .trueColor:
      let part = Double(step) / Double(flashSteps)
      let foreground = part < 0.4 ? theme.flashText.color : tone.color
      return Style(foreground, on: bright.mixed(with: ground, part), bold: part < 0.4)
    }
  }
}
