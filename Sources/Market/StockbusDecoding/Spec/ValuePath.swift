package import StockbusPlugin

/// The path of a value in a message: `p`, `data.p`, `[3]`, `[-1]` (counted from the end), `["odd.key"]`.
///
/// A path begins at the item that is being decoded. `$.stream` begins at the whole message, `@symbol` is a value that an earlier message
/// has set (see `DecodingSpec.recall`), `.` alone is the item itself, and `~` is the item's own key, if `each` iterates over an object.
package struct ValuePath: Hashable, Sendable {
  /// The start of the path.
  package enum Root: Hashable, Sendable {
    case item, message, key
    case remembered(String)
  }
  /// One key or index of the path.
  package enum Step: Hashable, Sendable {
    case key(String)
    /// An index, counted from 0, or from the end by -1, -2 and so on.
    case index(Int)
  }
  package let root: Root
  package let steps: [Step]
  static let stepLimit = 16

  /// Nil if the text is not a path of at most 16 steps.
  package init?(_ text: String) {
    var rest = Substring(text)
    var root = Root.item
    if rest == "." || rest == "~" {
      self.root = rest == "~" ? .key : .item
      steps = []
      return
    }
    if rest.first == "$" {
      root = .message
      rest.removeFirst()
      if rest.first == "." {
        rest.removeFirst()
        if rest.isEmpty { return nil }
      } else if let next = rest.first, next != "[" {
        return nil
      }
    } else if rest.first == "@" {
      let name = rest.dropFirst()
      guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
      self.root = .remembered(String(name))
      steps = []
      return
    } else if rest.isEmpty {
      return nil
    }
    guard let steps = Self.steps(rest) else { return nil }
    self.root = root
    self.steps = steps
  }

  private static func steps(_ text: Substring) -> [Step]? {
    var steps: [Step] = []
    var rest = text
    while !rest.isEmpty {
      if rest.first == "[" {
        guard let (step, after) = bracket(rest.dropFirst()) else { return nil }
        steps.append(step)
        rest = after
      } else {
        if !steps.isEmpty {
          guard rest.first == "." else { return nil }
          rest.removeFirst()
        }
        let key = rest.prefix { !".[]".contains($0) }
        if key.isEmpty { return nil }
        steps.append(.key(String(key)))
        rest = rest[key.endIndex...]
      }
    }
    return steps.count <= stepLimit ? steps : nil
  }

  /// The step after an opening bracket: an index, or a key in quotation marks.
  private static func bracket(_ text: Substring) -> (Step, Substring)? {
    if text.first == "\"" {
      let key = text.dropFirst().prefix { $0 != "\"" }
      let after = text[key.endIndex...]
      return after.hasPrefix("\"]") ? (.key(String(key)), after.dropFirst(2)) : nil
    }
    let digits = text.prefix { $0 == "-" || ($0.isASCII && $0.isNumber) }
    let after = text[digits.endIndex...]
    guard digits.count < 7, let index = Int(digits), after.first == "]" else { return nil }
    return (.index(index), after.dropFirst())
  }
}

extension ValuePath: CustomStringConvertible {
  /// The path as written in a configuration.
  package var description: String {
    var text =
      switch root {
      case .item: ""
      case .message: "$"
      case .key: "~"
      case .remembered(let name): "@\(name)"
      }
    for step in steps {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .key(let key) where key.isEmpty || key.contains(where: { ".[]$@~".contains($0) }): text += "[\"\(key)\"]"
      case .key(let key): text += (text.isEmpty ? "" : ".") + key
      }
    }
    return text.isEmpty ? "." : text
  }
}

extension ValuePath: ScalarOption {
  package init(option text: String) throws(OptionTextError) {
    guard let path = ValuePath(text) else { throw .mismatch }
    self = path
  }
  package static var optionType: OptionType {
    OptionType("path", plural: "paths", phrase: "a path such as data.p, [1][0], $.stream or @symbol", pluralPhrase: "paths such as data.p")
  }
  package static var optionSample: String { "data.p" }
  package static var optionSchema: JSONValue { ["type": "string"] }
  package var optionText: String { description.optionText }
  package var optionJSON: JSONValue { .string(description) }
}

extension ValuePath: ExpressibleByStringLiteral {
  /// A path written in source code, which the type `StaticString` guarantees; paths from outside use `init?(_:)`. Traps if it is not a
  /// path.
  package init(stringLiteral text: StaticString) {
    guard let path = ValuePath("\(text)" as String) else { preconditionFailure("'\(text)' is not a path") }
    self = path
  }
}
