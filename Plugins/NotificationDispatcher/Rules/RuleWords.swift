internal import StockbusPlugin
internal import StockbusViewing

/// Reads a rule from a command: `AAPL above 200 rearm 0.5% cooldown 1m once`. It begins with names and patterns, separated by commas, or
/// with one name and `exactly`: `* exactly above 200` is for the symbol with the name `*`.
enum RuleWords {
  /// Options without a value.
  private static let flags = ["once", "initial", "urgent", "resolve"]

  /// Other words for conditions, for hints in errors.
  private static let meant = [
    "over": "above", ">": "above", "exceeds": "above", "under": "below", "<": "below", "rises": "rises_by", "falls": "falls_by",
    "up": "rises_by", "down": "falls_by", "crosses": "crosses_above", "crosses_over": "crosses_above", "crosses_under": "crosses_below",
  ]

  static func request(_ words: [String]) throws(CommandError) -> RuleRequest {
    let usage = "write a rule such as AAPL above 200 rearm 0.5% cooldown 1m"
    guard let subject = words.first, words.count > 1 else { throw CommandError(usage) }
    var rest = words.dropFirst()
    var request = RuleRequest(subject == "*" ? .all : .symbols(subject.split(separator: ",").map(String.init)))
    if rest.first == "exactly" {
      rest = rest.dropFirst()
      request.subject = .symbol(subject)
    }
    while let key = rest.popFirst() {
      try check(key)
      if flags.contains(key), rest.first != "true", rest.first != "false" {
        request.options.append(.init(key, "true"))
      } else if key == "name" || key == "message" || key == "when" || key == "rearm_when" {
        // The last option takes the rest of the line as its value.
        request.options.append(.init(key, rest.joined(separator: " ")))
        rest = []
      } else if let value = rest.popFirst() {
        request.options.append(.init(key, value))
      } else {
        throw CommandError("\(shown(key)) needs a value; \(usage)")
      }
    }
    return request
  }

  /// Throws if an option has another name.
  static func check(_ key: String) throws(CommandError) {
    let known = RuleSettings.names
    if !known.contains(key), let meant = meant[key.lowercased()] ?? known.first(where: { $0 == key.lowercased() }) {
      throw CommandError("a rule has no \(shown(key)); did you mean '\(meant)'?")
    }
  }
}

extension RuleSettings {
  /// The rule of a request; checks and messages are the same as in a configuration.
  init(_ request: RuleRequest) throws(CommandError) {
    let mark = ConfigNode.Mark(file: "command", line: 1, column: 1)
    func scalar(_ text: String) -> ConfigNode { ConfigNode(.scalar(text), at: mark, isQuoted: true) }
    var entries: [ConfigNode.Entry] = []
    func add(_ key: String, _ value: ConfigNode) { entries.append(.init(key: key, mark: mark, value: value)) }
    switch request.subject {
    case .all: break
    case .symbol(let name): add("symbol", scalar(name))
    case .symbols(let names): add("symbols", ConfigNode(.list(names.map { scalar($0) }), at: mark))
    }
    for option in request.options {
      try RuleWords.check(option.name)
      add(option.name, scalar(option.value))
    }
    if let owner = request.owner { add("owner", scalar(owner)) }
    do throws(Problems) { self = try RuleSettings.decode(ConfigNode(.map(entries), at: mark), at: mark) } catch {
      throw CommandError(error.list.map(\.message).joined(separator: "; "))
    }
  }
}
