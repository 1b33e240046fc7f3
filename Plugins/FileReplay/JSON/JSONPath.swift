/// The path of a value in an object: `price`, `data.p`, `tick[0].px`, `["odd.key"]`.
struct JSONPath: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case key(String)
    /// Counted from 0.
    case index(Int)
  }
  let steps: [Step]

  /// A path of one key, which may have any characters.
  init(key: String) { steps = [.key(key)] }

  /// Nil if the text is not a path of 1 to 64 steps.
  init?(_ text: String) {
    var steps: [Step] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      if rest.first == "[" {
        guard let (step, after) = Self.bracket(rest.dropFirst()) else { return nil }
        steps.append(step)
        rest = after
      } else {
        if !steps.isEmpty {
          guard rest.first == "." else { return nil }
          rest.removeFirst()
        }
        let key = rest.prefix { $0 != "." && $0 != "[" && $0 != "]" }
        if key.isEmpty { return nil }
        steps.append(.key(String(key)))
        rest = rest[key.endIndex...]
      }
    }
    guard (1...JSONRows.depthLimit).contains(steps.count) else { return nil }
    self.steps = steps
  }

  /// Parses the text after an opening bracket: an index or a key in quotation marks.
  private static func bracket(_ text: Substring) -> (Step, Substring)? {
    if text.first == "\"" {
      let key = text.dropFirst().prefix { $0 != "\"" }
      let after = text[key.endIndex...]
      return after.hasPrefix("\"]") ? (.key(String(key)), after.dropFirst(2)) : nil
    }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let after = text[digits.endIndex...]
    guard digits.count < 7, let index = Int(digits), after.first == "]" else { return nil }
    return (.index(index), after.dropFirst())
  }
}
