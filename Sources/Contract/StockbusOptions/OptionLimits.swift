/// A range that a setting may be limited to: `1...9`, `1...` or `...9`.
public protocol OptionRange<Bound> {
  associatedtype Bound: Comparable
  /// The least and the greatest allowed value; nil if there is no such limit.
  var optionBounds: (lowest: Bound?, highest: Bound?) { get }
}

extension ClosedRange: OptionRange {
  public var optionBounds: (lowest: Bound?, highest: Bound?) { (lowerBound, upperBound) }
}
extension PartialRangeFrom: OptionRange {
  public var optionBounds: (lowest: Bound?, highest: Bound?) { (lowerBound, nil) }
}
extension PartialRangeThrough: OptionRange {
  public var optionBounds: (lowest: Bound?, highest: Bound?) { (nil, upperBound) }
}

/// The requirements of a setting beyond its type; `Leaf` is the type of the value, or of a list's items.
public struct OptionLimits<Leaf: OptionValue>: Sendable {
  var leaf: LeafLimit<Leaf>?
  var count: CountLimit?

  init(_ leaf: LeafLimit<Leaf>? = nil, count: CountLimit? = nil) {
    self.leaf = leaf
    self.count = count
  }

  var ofParts: OptionLimits { OptionLimits(leaf) }
}

/// A range of one value. It is stored as closures, because only the declaration of the setting knows that the type is comparable.
struct LeafLimit<Leaf: OptionValue>: Sendable {
  let holds: @Sendable (Leaf) -> Bool
  /// The demand in a message: `must be between 1 and 9`.
  let demand: String
  /// The actual value, as a message shows it.
  let got: @Sendable (Leaf) -> String
  /// The range in help: `1 to 9`.
  let text: String
  /// Keywords of JSON Schema; empty if it has no keyword for this limit.
  let keywords: [JSONValue.Member]
  /// An allowed value as text. Text, so that a type may contain a list of itself.
  let sample: String?

  init(in range: some OptionRange<Leaf>) where Leaf: Comparable {
    let (lowest, highest) = range.optionBounds
    holds = { value in (lowest.map { value >= $0 } ?? true) && (highest.map { value <= $0 } ?? true) }
    let (phrase, text) = Self.words(lowest?.optionText, highest?.optionText)
    demand = "must be \(phrase)"
    self.text = text
    got = \.optionText
    keywords = [("minimum", lowest), ("maximum", highest)].compactMap { name, bound in
      guard case .number(let literal)? = bound?.optionJSON else { return nil }
      return JSONValue.Member(name, .number(literal))
    }
    sample = (lowest ?? highest)?.optionText
  }

  init(length range: some OptionRange<Int>) where Leaf == String {
    let limit = CountLimit(range)
    // Counted in Unicode scalars, as JSON Schema does.
    holds = { limit.holds($0.unicodeScalars.count) }
    demand = "must have \(limit.phrase) \(limit.isOne ? "character" : "characters")"
    text = "\(limit.text) \(limit.isOne ? "character" : "characters")"
    got = { String($0.unicodeScalars.count) }
    keywords = limit.keywords("Length")
    sample = String(repeating: "x", count: limit.lowest ?? limit.highest ?? 1)
  }

  /// The wording for a message and for a table column.
  static func words(_ lowest: String?, _ highest: String?) -> (phrase: String, text: String) {
    switch (lowest, highest) {
    case (let low?, let high?): low == high ? (low, low) : ("between \(low) and \(high)", "\(low) to \(high)")
    case (let low?, nil): ("at least \(low)", "at least \(low)")
    case (nil, let high?): ("at most \(high)", "at most \(high)")
    case (nil, nil): ("anything", "")
    }
  }
}

/// The allowed number of items or characters.
struct CountLimit: Sendable {
  let lowest: Int?
  let highest: Int?

  init(_ range: some OptionRange<Int>) { (lowest, highest) = range.optionBounds }

  func holds(_ count: Int) -> Bool { count >= lowest ?? 0 && count <= highest ?? .max }

  var phrase: String {
    lowest == highest ? "exactly \(text)" : LeafLimit<Int>.words(lowest.map(String.init), highest.map(String.init)).phrase
  }
  var text: String { LeafLimit<Int>.words(lowest.map(String.init), highest.map(String.init)).text }
  var isOne: Bool { (highest ?? lowest) == 1 }

  /// `minItems` and `maxItems`, or the same with another noun.
  func keywords(_ noun: String) -> [JSONValue.Member] {
    [("min", lowest), ("max", highest)].compactMap { word, bound in bound.map { JSONValue.Member(word + noun, .number($0)) } }
  }

  /// Returns true if `count` is allowed; otherwise adds a problem.
  func check<Leaf>(_ count: Int, _ source: OptionSource<Leaf>, _ problems: inout Problems) -> Bool {
    if holds(count) { return true }
    problems.add("\(source.subject) must have \(phrase) \(isOne ? "item" : "items"), got \(count)", at: source.node.mark)
    return false
  }
}
