internal import MarketData

/// Guesses of the pattern of a time from how it is written.
extension TimePattern {
  /// The patterns that read a text, the likelier first: two if the day may be the month, none if it is not a time.
  static func guesses(_ text: String) -> [TimePattern] {
    guard text.utf8.count <= 48, !text.contains(where: \.isNewline) else { return [] }
    var guess = Guess()
    guard guess.scan(Array(text)) else { return [] }
    var text = text
    return guess.orders().compactMap { order in
      guard let pattern = try? TimePattern(guess.pattern(order)) else { return nil }
      return text.withUTF8 { pattern.read($0) } == nil ? nil : pattern
    }
  }

  /// The patterns that read all of these texts, the likelier first.
  static func guesses(_ texts: [String]) -> [TimePattern] {
    var candidates: [TimePattern] = []
    for text in texts {
      for pattern in guesses(text) {
        for variant in [pattern, pattern.lenient] where !candidates.contains(variant) { candidates.append(variant) }
      }
    }
    return candidates.filter { pattern in
      texts.allSatisfy { text in
        var text = text
        return text.withUTF8 { pattern.read($0) } != nil
      }
    }.reduce(into: []) { kept, pattern in
      // The stricter of two that differ in the number of digits only.
      if !kept.contains(where: { $0.lenient == pattern.lenient }) { kept.append(pattern) }
    }
  }

  /// The pattern that a text in the notation of another program stands for: `%d.%m.%Y`, `DD.MM.YYYY`; nil if it is none.
  static func meant(by text: String) -> TimePattern? {
    let letters: [Character: String] = [
      "Y": "yyyy", "y": "yy", "m": "MM", "d": "dd", "e": "d", "H": "HH", "I": "hh", "M": "mm", "S": "ss", "f": "SSSSSS", "p": "a",
      "b": "MMM",
      "B": "MMMM", "a": "EEE", "A": "EEEE", "z": "X", "F": "yyyy-MM-dd", "T": "HH:mm:ss", "D": "MM/dd/yy", "R": "HH:mm",
    ]
    var meant = text.replacing("YY", with: "yy").replacing("DD", with: "dd").replacing(/f+/) {
      String(repeating: "S", count: $0.output.count)
    }
    if text.contains("%") {
      meant = ""
      var rest = text[...]
      while let first = rest.popFirst() {
        guard first == "%" else {
          meant.append(first)
          continue
        }
        guard let letter = rest.popFirst(), let part = letters[letter] else { return nil }
        meant += part
      }
    }
    return meant == text ? nil : try? TimePattern(meant)
  }

  /// The same pattern with one or two digits, and any number of decimals.
  private var lenient: TimePattern {
    var text = text
    for (strict, loose) in [("MM", "M"), ("dd", "d"), ("HH", "H"), ("hh", "h")] {
      for place in text.ranges(of: strict).reversed() where !text.contains(strict + loose) && !text.contains("yyyyMM") {
        text.replaceSubrange(place, with: loose)
      }
    }
    if let first = text.firstIndex(of: "S") { text = String(text[..<first] + "S" + text[first...].drop { $0 == "S" }) }
    return (try? TimePattern(text)) ?? self
  }

  private struct Guess {
    private var pieces: [String] = []
    /// The numbers that may be year, month and day: their pieces, widths and values.
    private var date: [(piece: Int, width: Int, value: Int)] = []
    private var hasMonthName = false
    private var isWholeDate = false
    private var clock: [Int] = []
    private var hasHalf = false

    mutating func scan(_ text: [Character]) -> Bool {
      var at = 0
      while at < text.count {
        let isDigit = Self.isDigit(text[at])
        if isDigit || text[at].isLetter && text[at].isASCII {
          let run = text[at...].prefix { Self.isDigit($0) == isDigit && (isDigit || $0.isLetter && $0.isASCII) }
          guard isDigit ? number(run, text) : word(String(run)) else { return false }
          at = run.endIndex
        } else if "+-".contains(text[at]), clock.count > 1 {
          // An offset ends the text.
          pieces.append("X")
          at = text.count
        } else {
          pieces.append(text[at] == "'" ? "''" : "\u{202f}\u{a0}".contains(text[at]) ? " " : String(text[at]))
          at += 1
        }
      }
      return true
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

    private mutating func number(_ run: ArraySlice<Character>, _ text: [Character]) -> Bool {
      let width = run.count
      let next = run.endIndex < text.count ? text[run.endIndex] : " "
      let isAfterColon = pieces.last == ":"
      let isDated = isWholeDate || date.count == (hasMonthName ? 2 : 3)
      if clock.isEmpty, next == ":", width <= 2 {
        clock.append(pieces.count)
        pieces.append(width == 1 ? "H" : "HH")
      } else if !clock.isEmpty, clock.count < 3, isAfterColon {
        guard width == 2 else { return false }
        clock.append(pieces.count)
        pieces.append(clock.count == 2 ? "mm" : "ss")
      } else if clock.count == 3, isAfterColon || pieces.last == "." || pieces.last == ",", width <= 12 {
        clock.append(pieces.count)
        pieces.append(String(repeating: "S", count: max(2, width)))
        if width == 1 { pieces[pieces.count - 1] = "S" }
      } else if let whole = [8: "yyyyMMdd", 12: "yyyyMMddHHmm", 14: "yyyyMMddHHmmss", 17: "yyyyMMddHHmmssSSS"][width], !isDated,
        date.isEmpty
      {
        isWholeDate = true
        pieces.append(whole)
        if width > 8 { clock = [-1, -1, -1] }
      } else if isDated, clock.isEmpty, width == 6 || width == 4 {
        pieces.append(width == 6 ? "HHmmss" : "HHmm")
        clock = width == 6 ? [-1, -1, -1] : [-1, -1]
      } else if !isDated, width <= 4, width != 3, let value = Int(String(run)) {
        date.append((pieces.count, width, value))
        pieces.append("")
      } else {
        return false
      }
      return true
    }

    private mutating func word(_ word: String) -> Bool {
      let small = word.lowercased()
      if let name = TimePattern.namePart(word) {
        hasMonthName = hasMonthName || name.hasPrefix("M")
        pieces.append(name)
      } else if small == "am" || small == "pm", let hour = clock.first, hour >= 0 {
        hasHalf = true
        pieces[hour] = pieces[hour].lowercased()
        pieces.append("a")
      } else {
        let isKnown = ["T", "Z", "UTC", "GMT"].contains(word)
        // A word such as `at` stands apart from the numbers.
        guard isKnown || pieces.last == " " else { return false }
        pieces.append(isKnown ? word : "'\(word)'")
      }
      return true
    }

    /// The parts that the numbers of the date may be, in their order.
    func orders() -> [[String]] {
      if isWholeDate || date.isEmpty { return date.isEmpty ? [[]] : [] }
      func letters(_ place: Int, _ letter: String) -> String {
        letter == "y"
          ? String(repeating: "y", count: date[place].width == 4 ? 4 : 2) : String(repeating: letter, count: min(2, date[place].width))
      }
      let orders: [[String]] =
        switch (date.count, hasMonthName) {
        case (2, true): date[0].width == 4 ? [["y", "d"]] : [["d", "y"]]
        case (3, false) where date[0].width == 4: [["y", "M", "d"]]
        case (3, false):
          pieces.contains(".") && pieces[date[0].piece + 1] == "." ? [["d", "M", "y"]] : [["M", "d", "y"], ["d", "M", "y"]]
        default: []
        }
      return orders.map { order in order.indices.map { letters($0, order[$0]) } }
    }

    func pattern(_ order: [String]) -> String {
      var pieces = pieces
      for (place, part) in zip(date, order) { pieces[place.piece] = part }
      return pieces.joined()
    }
  }
}
