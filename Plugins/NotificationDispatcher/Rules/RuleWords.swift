internal import StockbusPlugin

/// Parses a rule from a command: `AAPL above 200 rearm 0.5% cooldown 1m once`. It begins with names and patterns, separated by commas, or
/// with one name and `exactly`: `* exactly above 200` is for the symbol with the name `*`.
enum RuleWords {
  /// Options without a value.
  private static let flags = ["once", "initial", "urgent"]

  /// Other words for conditions, for hints in errors.
  private static let meant = [
    "over": "above", ">": "above", "exceeds": "above", "under": "below", "<": "below", "rises": "rises_by", "falls": "falls_by",
    "up": "rises_by", "down": "falls_by", "crosses": "crosses_above", "crosses_over": "crosses_above", "crosses_under": "crosses_below",
  ]

  /// The rule; checks and messages are the same as in a configuration.
  static func rule(_ words: [String]) throws(CommandError) -> RuleSettings {
    let usage = "say what to watch: AAPL above 200 rearm 0.5% cooldown 1m"
    guard let subject = words.first, words.count > 1 else { throw CommandError(usage) }
    let mark = ConfigNode.Mark(file: "command", line: 1, column: 1)
    func scalar(_ text: String) -> ConfigNode { ConfigNode(.scalar(text), at: mark, isQuoted: true) }
    var entries: [ConfigNode.Entry] = []
    var rest = words.dropFirst()
    if rest.first == "exactly" {
      rest = rest.dropFirst()
      entries.append(.init(key: "symbol", mark: mark, value: scalar(subject)))
    } else if subject != "*" {
      entries.append(
        .init(key: "symbols", mark: mark, value: ConfigNode(.list(subject.split(separator: ",").map { scalar(String($0)) }), at: mark)))
    }
    let known = RuleSettings.names
    while let key = rest.popFirst() {
      if !known.contains(key), let meant = meant[key.lowercased()] ?? known.first(where: { $0 == key.lowercased() }) {
        throw CommandError("a rule has no \(shown(key)); did you mean '\(meant)'?")
      }
      if flags.contains(key), rest.first != "true", rest.first != "false" {
        entries.append(.init(key: key, mark: mark, value: scalar("true")))
      } else if key == "name" || key == "message" {
        // The last option takes the rest of the line as its value.
        entries.append(.init(key: key, mark: mark, value: scalar(rest.joined(separator: " "))))
        rest = []
      } else if let value = rest.popFirst() {
        entries.append(.init(key: key, mark: mark, value: scalar(value)))
      } else {
        throw CommandError("\(shown(key)) needs a value; \(usage)")
      }
    }
    do throws(Problems) { return try RuleSettings.decode(ConfigNode(.map(entries), at: mark), at: mark) } catch {
      throw CommandError(error.list.map(\.message).joined(separator: "; "))
    }
  }
}
