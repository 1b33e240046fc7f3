internal import MarketData

/// Why a text is no expression over an event's fields, and where in the text.
public struct ExpressionError: Error, Hashable, Sendable {
  public enum Code: Hashable, Sendable {
    /// It breaks the grammar.
    case syntax
    /// A word that is no field, no case and no function here.
    case unknown
    /// Values that cannot be put together so.
    case type
    /// A number, time or duration that is too large, too small or too fine.
    case range
    /// It is longer or deeper than `ExpressionLimits` allow.
    case limit
  }

  public let code: Code
  /// What is wrong and what would be right, without the place.
  public let message: String
  /// The whole expression.
  public let text: String
  /// The characters (of Unicode, counted from 0) that it is about; empty at the text's end.
  public let range: Range<Int>
  /// True where nothing is wrong so far, but something is missing at the end: somebody is still typing.
  public let isIncomplete: Bool
  /// Words that would fit in place of the last one, which somebody may still be typing; those for a prompt to offer.
  public let completions: [String]

  init(_ code: Code, _ message: String, _ text: String, _ bytes: Range<Int>, isIncomplete: Bool = false, completions: [String] = []) {
    self.code = code
    self.message = message
    self.text = text
    let utf8 = text.utf8
    let scalars = text.unicodeScalars
    func characters(_ offset: Int) -> Int {
      let index = utf8.index(utf8.startIndex, offsetBy: min(offset, utf8.count))
      return scalars.distance(from: scalars.startIndex, to: index)
    }
    let begin = characters(bytes.lowerBound)
    range = begin..<max(begin, characters(bytes.upperBound))
    self.isIncomplete = isIncomplete
    self.completions = completions
  }

  /// Where it begins, counted from 1.
  public var column: Int { range.lowerBound + 1 }

  /// Two lines for a terminal: the expression, and below it what is wrong, marked with `^~~~`. A long expression is cut to the part that
  /// matters; control characters are shown as a middle dot.
  public var marked: String {
    var begin = 0
    var scalars = Array(text.unicodeScalars)
    if scalars.count > Self.widest {
      begin = max(0, min(range.lowerBound - Self.widest / 3, scalars.count - Self.widest))
      scalars = Array(scalars[begin..<min(scalars.count, begin + Self.widest)])
    }
    let cut = (begin > 0 ? "…" : "", begin + scalars.count < text.unicodeScalars.count ? "…" : "")
    var line = ""
    for scalar in scalars {
      // One column for each, so that the mark stands below what it means.
      line.unicodeScalars.append(visible(String(scalar)).unicodeScalars.count == 1 ? scalar : "·")
    }
    let margin = String(repeating: " ", count: cut.0.count + range.lowerBound - begin)
    let length = max(1, min(range.upperBound, begin + scalars.count) - range.lowerBound)
    return "\(cut.0)\(line)\(cut.1)\n\(margin)^\(String(repeating: "~", count: length - 1)) \(message)"
  }

  private static let widest = 100
}

extension ExpressionError: CustomStringConvertible {
  /// `column 17: trade has no field 'prise'; did you mean 'price'?`
  public var description: String { "column \(column): \(message)" }
}
