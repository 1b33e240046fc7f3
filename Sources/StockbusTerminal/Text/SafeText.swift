internal import MarketData

extension String {
  /// This text without anything that a terminal would obey: it takes one line and its columns and does nothing else.
  ///
  /// Tabs and line ends become blanks; all other control characters (C0, DEL, C1) go, so an escape sequence is shown as its harmless
  /// rest. Marks that turn the direction of writing go as well, since with them a text can look like another one, and so does
  /// everything past `limit` marks on one character.
  public var terminalSafe: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var safe = String.UnicodeScalarView()
    var marks = 0
    for scalar in unicodeScalars {
      switch scalar.terminalEffect {
      case .space: safe.append(" ")
      case .control, .misleading: continue
      case .none:
        let isMark = scalar.value >= 0x300 && Character(scalar).displayWidth == 0
        marks = isMark ? marks + 1 : 0
        if marks <= Self.markLimit { safe.append(scalar) }
        continue
      }
      marks = 0
    }
    return String(safe)
  }

  /// How many combining and format characters may follow each other; the longest emoji sequences need fewer.
  private static let markLimit = 16
}
