extension Character {
  /// The columns that this character takes on a terminal: 2 for wide East Asian characters and emoji, 0 for combining and format
  /// characters, otherwise 1.
  ///
  /// By grapheme clusters, according to Unicode's UAX #11 (East Asian Width) and UTS #51 (emoji presentation).
  package var displayWidth: Int {
    if let ascii = asciiValue { return ascii >= 0x20 && ascii < 0x7f ? 1 : 0 }
    var width = 0
    for scalar in unicodeScalars {
      if scalar.value == 0xfe0f, width == 1, unicodeScalars.first!.properties.isEmoji { return 2 }
      if width == 0 { width = Self.width(scalar) }
    }
    return width
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value < 0xa0 || value == 0xad ? (value >= 0x20 && value < 0x7f ? 1 : 0) : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
    default: break
    }
    if (0x1160...0x11ff).contains(value) { return 0 }  // vowels and finals of Hangul, which are combined with the initial
    if scalar.properties.isEmojiPresentation { return 2 }
    return isWide(value) ? 2 : 1
  }

  /// The ranges of UAX #11's classes W and F, including unassigned code points inside their blocks.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x4dbf, 0x4e00...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3,
      0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18cff, 0x1aff0...0x1b2ff,
      0x1f200...0x1f265, 0x20000...0x3fffd:
      true
    default: false
    }
  }
}

extension StringProtocol {
  /// The columns that this text takes on a terminal.
  package var displayWidth: Int {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// The longest prefix that takes at most `columns`, without half of a wide character.
  package func prefix(columns: Int) -> SubSequence {
    var left = columns
    var end = startIndex
    while end < endIndex {
      left -= self[end].displayWidth
      if left < 0 { break }
      end = index(after: end)
    }
    return self[..<end]
  }

  /// This text if it fits into `columns`, otherwise its beginning followed by `ellipsis`.
  package func truncated(columns: Int, ellipsis: String = "…") -> String {
    if displayWidth <= columns { return String(self) }
    let room = columns - ellipsis.displayWidth
    return room < 0 ? String(prefix(columns: columns)) : prefix(columns: room) + ellipsis
  }

  /// The words of this text in lines of at most `columns`, with longer words on lines of their own.
  package func wrapped(columns: Int) -> [String] {
    if displayWidth <= columns { return [String(self)] }
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      if line.isEmpty {
        line = String(word)
      } else if line.displayWidth + 1 + word.displayWidth <= columns {
        line += " " + word
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return lines + [line]
  }

  /// This text cut or padded with blanks to exactly `columns`.
  package func padded(columns: Int, alignment: TextAlignment = .leading, ellipsis: String = "…") -> String {
    let text = truncated(columns: columns, ellipsis: ellipsis)
    let missing = Swift.max(0, columns - text.displayWidth)
    let before =
      switch alignment {
      case .leading: 0
      case .center: missing / 2
      case .trailing: missing
      }
    return String(repeating: " ", count: before) + text + String(repeating: " ", count: missing - before)
  }
}

/// The alignment of a text in its column.
package enum TextAlignment: Hashable, Sendable, CaseIterable {
  case leading, center, trailing
}
