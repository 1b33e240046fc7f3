/// Hints for notations of other languages.
enum Foreign {
  /// A hint for a word in place of an operator; nil if no other language has an operator of that name. `next` is the following word;
  /// `isNegated` is true if `not` precedes the word.
  static func operatorHint(_ word: String, next: String? = nil, isNegated: Bool = false) -> String? {
    let word = word.lowercased()
    let not = isNegated ? "not " : ""
    if let pattern = patterns[word] {
      return "write '\(not)matches' with a pattern in which * is any text and ? one character, as in symbol \(not)matches \"\(pattern)\""
    }
    if word == "between" {
      let outside = "values outside of a range are written as in price < 10 or price > 20"
      return isNegated ? outside : "a range is written as in 10 <= price <= 20"
    }
    if isNegated { return nil }
    if word == "is" || word == "are" { return compared(next?.lowercased()) }
    if let mark = marks[word] { return "write '\(mark)' to compare" }
    if movements.contains(word) { return Foreign.movement }
    if absences.contains(word) { return null }
    return joints[word]
  }

  /// A hint for a word after a number, with or without a blank between; nil if it is not a known unit.
  static func unitHint(_ word: String) -> String? {
    let word = word.lowercased()
    if isCurrency(word) { return currency }
    if ["percent", "pct", "percents", "pc"].contains(word) { return "write a '%' directly after the number, as in 1.5%" }
    if multiples.contains(word) { return "write all digits, as in 1_000_000, or 1e6" }
    if ["am", "pm", "oclock"].contains(word) { return timeOfDay }
    if word == "x" { return "numbers are written in decimal digits" }
    return nil
  }

  /// A hint for a word after a number and a blank, including units of time.
  static func distantUnitHint(_ word: String) -> String? {
    if let hint = unitHint(word) { return hint }
    return times.contains(word.lowercased())
      ? "write a unit directly after its number, as in 250ms; units are d, h, m, s, ms, us and ns" : nil
  }

  /// A hint for a word that is not a field here but has a meaning in other languages.
  static func valueHint(_ word: String) -> String? {
    switch word.lowercased() {
    case "null", "nil", "none", "nan", "undefined", "empty", "missing", "na": null
    case "inf", "infinity", "\u{221e}": "there is no infinity: a number is at most 9223372036854775807"
    case "now", "today", "yesterday", "current_timestamp", "sysdate":
      "a condition has no current time; the delay of an event is received - time, as in received - time < 1s"
    case "true", "yes", "on": "write 'true'"
    case "false", "no", "off": "write 'false'"
    default: nil
    }
  }

  /// A hint for the name of a function that this language does not have.
  static func callHint(_ name: String) -> String? {
    let name = name.lowercased()
    let method = name.split(separator: ".").last.map(String.init) ?? name
    if name.contains("."), let function = Function(rawValue: method), !function.hasMemory {
      return "write the value in the parentheses, as in \(function.rawValue)(change)"
    }
    if let pattern = patterns[method] {
      return "write 'matches' with a pattern in which * is any text and ? one character, as in symbol matches \"\(pattern)\""
    }
    if ["isnull", "isnan", "isnone", "exists", "coalesce", "ifnull", "nvl", "isempty"].contains(method) { return null }
    if let hint = valueHint(method) { return hint }
    let plain = method.hasPrefix("ta_") ? String(method.dropFirst(3)) : method
    return functions[plain].map { "write \($0)" }
  }

  static let currency = "prices are written without a currency, as in price > 100"
  static let windows =
    "write a time in a function, as in highest(price, 5m) or price / lowest(price, 5m) > 101%"
  static let lasting = "how long a condition has to be true is said beside it in a rule, as in { when: \"price > 100\", for: 3s }"
  static let lists = "write several as a list after 'in', as in symbol in [AAPL, NVDA]"
  static let joined = "write 'and' or 'or' between two conditions"
  static let pattern = "; write a pattern after 'matches', as in symbol matches \"A*\""

  private static let movement =
    "write crosses_above(price, 100) or crosses_below(price, 100) for crossings, and change(price) > 0 or change(price) < 0 for moves"
  private static let null = "nothing is null here: every event has all of its fields"
  private static let timeOfDay = "a time is written with its date and zone, as in 2013-10-08T09:45:00Z or 2013-10-08T09:45:00-04:00"

  private static func compared(_ next: String?) -> String {
    guard let next else { return "write '==' to compare" }
    if absences.contains(next) || valueHint(next) == null || next == "not" {
      return next == "not" ? "write '!=' to compare; \(null)" : null
    }
    return "write '\(marks[next] ?? "==")' to compare"
  }

  static func isCurrency(_ word: String) -> Bool {
    let scalars = word.unicodeScalars
    return currencies.contains(word.lowercased())
      || (!scalars.isEmpty && scalars.allSatisfy { $0.properties.generalCategory == .currencySymbol })
  }

  private static let currencies: Set<String> = [
    "usd", "eur", "gbp", "jpy", "chf", "cad", "aud", "cny", "usdt", "usdc", "dollar", "dollars", "euro", "euros", "pound", "pounds",
    "yen", "cent", "cents", "bucks",
  ]
  private static let multiples: Set<String> = [
    "k", "kk", "m", "mm", "mio", "mln", "b", "bn", "g", "thousand", "million", "millions", "billion",
  ]
  private static let times: Set<String> = [
    "d", "h", "s", "ms", "us", "ns", "day", "days", "hour", "hours", "hr", "hrs", "min", "mins", "minute", "minutes", "sec", "secs",
    "second", "seconds", "millis", "milliseconds", "microseconds", "nanoseconds", "week", "weeks",
  ]
  private static let patterns: [String: String] = [
    "like": "A*", "ilike": "A*", "rlike": "A*", "regexp": "A*", "regex": "A*", "glob": "A*", "similar": "A*", "match": "A*",
    "matching": "A*", "contains": "*USD*", "contain": "*USD*", "includes": "*USD*", "include": "*USD*", "has": "*USD*",
    "startswith": "A*", "starts": "A*", "starts_with": "A*", "begins": "A*", "beginswith": "A*", "prefix": "A*", "hasprefix": "A*",
    "endswith": "*USD", "ends": "*USD", "ends_with": "*USD", "suffix": "*USD", "hassuffix": "*USD", "fnmatch": "A*",
  ]
  private static let marks: [String: String] = [
    "eq": "==", "equal": "==", "equals": "==", "same": "==", "ne": "!=", "neq": "!=", "differs": "!=", "gt": ">", "above": ">",
    "exceeds": ">", "greater": ">", "more": ">", "higher": ">", "bigger": ">", "larger": ">", "over": ">", "after": ">", "lt": "<",
    "below": "<", "less": "<", "lower": "<", "smaller": "<", "fewer": "<", "under": "<", "before": "<", "ge": ">=", "gte": ">=",
    "le": "<=", "lte": "<=",
  ]
  private static let joints: [String: String] = [
    "but": "write 'and'", "also": "write 'and'", "unless": "write 'and not'", "except": "write 'and not'",
    "xor": "there is no 'xor'; write a and not b or b and not a", "mod": "there is no remainder operator", "div": "write '/'",
    "then": "a condition only says which events pass", "else": "a condition only says which events pass",
    "order": "a condition only says which events pass; sorting_feed orders them",
    "limit": "a condition only says which events pass; sorting_feed has 'top'",
  ]
  private static let movements: Set<String> = [
    "crosses", "crossed", "crossing", "cross", "rises", "rose", "rising", "falls", "fell", "falling", "drops", "dropped", "jumps",
    "changes", "changed", "increases", "decreases", "gains", "loses",
  ]
  private static let absences: Set<String> = ["exists", "exist", "null", "isnull", "notnull", "none", "nil", "defined", "present", "empty"]
}
