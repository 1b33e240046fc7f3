/// The paths of a route: `/api/symbols/:symbol/bars`, where `:symbol` is any one segment, or `/symbol/*`, where `*` is any rest.
struct WebPattern: Sendable, Hashable {
  private enum Part: Sendable, Hashable {
    case word(String)
    case any(String)
    case rest
  }

  let text: String
  private let parts: [Part]

  init(_ text: String) {
    self.text = text
    parts = text.split(separator: "/").map { part in
      if part == "*" { return .rest }
      return part.hasPrefix(":") ? .any(String(part.dropFirst())) : .word(String(part))
    }
  }

  /// The values of the pattern's names in these segments; nil if the pattern does not match.
  func match(_ segments: [String]) -> [String: String]? {
    var values: [String: String] = [:]
    for (i, part) in parts.enumerated() {
      if part == .rest { return values }
      guard i < segments.count else { return nil }
      switch part {
      case .word(let word): if segments[i] != word { return nil }
      case .any(let name):
        if segments[i].isEmpty { return nil }
        values[name] = segments[i]
      case .rest: return values
      }
    }
    return segments.count == parts.count ? values : nil
  }
}
