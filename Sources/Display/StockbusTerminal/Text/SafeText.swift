internal import MarketData

extension String {
  /// This text without anything that controls a terminal: it takes one line and its columns, and has no other effect.
  ///
  /// Tabs and line ends become blanks. All other control characters (C0, DEL, C1) are removed, so that only the harmless rest of an escape
  /// sequence is shown. Bidirectional controls and other invisible characters become U+FFFD, because with them a text can be mistaken for
  /// another one. Marks beyond `markLimit` on one character are removed.
  package var terminalSafe: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var safe = String.UnicodeScalarView()
    var marks = 0
    var base: Unicode.Scalar?
    for scalar in unicodeScalars {
      let effect = scalar.terminalEffect(behind: base)
      if !scalar.isJoiner { base = scalar }
      switch effect {
      case .space: safe.append(" ")
      case .control: continue
      case .misleading: safe.append("\u{fffd}")
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

  /// The most combining and format characters in a row; the longest emoji sequences need fewer.
  private static let markLimit = 16
}
