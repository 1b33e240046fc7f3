internal import MarketData

extension Options {
  public static func readOption(_ source: OptionSource<Self>, onto base: Self?, _ problems: inout Problems) -> Self? {
    guard case .map(let entries) = source.node.value else {
      problems.add(source.mismatch(optionShape(OptionContext(), of: nil)), at: source.node.mark)
      return nil
    }
    var members = (base ?? Self()).members()
    var found = Problems()
    checkKeys(entries, source, among: members.settings.map(\.name), &found)
    let value: Self
    do {
      try members.fill { member in
        let node = entries.last { $0.key == member.name }?.value
        return member.setting.reading(node, path: source.path(of: member.name), else: source.node.mark, &found)
      }
      guard found.isEmpty else {
        problems.add(found)
        return nil
      }
      value = try Self(from: SettingDecoder(values: members.values))
    } catch {
      problems.add("\(source.subject) cannot be decoded; this is a fault of the plugin: \(error)", at: source.node.mark)
      return nil
    }
    var rules = OptionProblems(source.node, path: source.path)
    value.check(&rules)
    problems.add(rules.problems)
    return rules.problems.isEmpty ? value : nil
  }

  private static func isOfNames(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 97 < 26 || byte &- 48 < 10 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  /// True for a key without a value that cannot be an option's name, so that it must be the rest of a split text.
  private static func isRest(_ entry: ConfigNode.Entry) -> Bool {
    entry.value.isNull && (entry.key.utf8.first.map { $0 &- 48 < 10 } ?? false || entry.key.utf8.contains { !isOfNames($0) })
  }

  private static func checkKeys(
    _ entries: [ConfigNode.Entry], _ source: OptionSource<Self>, among names: [String], _ problems: inout Problems
  ) {
    var seen: Set<String> = []
    // True after a text that was split at a comma, up to the next option.
    var isReported = false
    for (place, entry) in entries.enumerated() {
      if names.contains(entry.key) || !entry.value.isNull { isReported = false }
      if isReported { continue }
      if entry.value.isNull, !names.contains(entry.key), let slip = missingBlank(entry.key, among: names) {
        problems.add((source.path.isEmpty ? "" : "\(source.subject): ") + slip, at: entry.mark)
        continue
      }
      let shown = "'\(OptionText.visible(source.path(of: entry.key)))'"
      if !names.contains(entry.key) {
        let known = names.isEmpty ? "; there are none" : "; known are \(names.joined(separator: ", "))"
        let near = didYouMean(entry.key, among: names)
        // `{ where: max(price, 1) > 5 }`: the text after the comma has become a key.
        let isRest = isRest(entry) || (entry.value.isNull && near.isEmpty && place + 1 < entries.count && isRest(entries[place + 1]))
        let rule = "inside '{…}' and '[…]' write text with a comma in quotation marks"
        if isRest, place > 0, names.contains(entries[place - 1].key), entries[place - 1].value.isPlainText {
          let cut = entries[place - 1]
          problems.add("'\(OptionText.visible(source.path(of: cut.key)))' ends at a comma; \(rule)", at: cut.value.mark)
          isReported = true
          continue
        }
        let quote = "; \(rule)"
        let place = near.isEmpty ? misplaced(entry, source, among: names) ?? known : near
        problems.add("unknown option \(shown)\(isRest ? quote : place)", at: entry.mark)
      } else if !seen.insert(entry.key).inserted {
        problems.add("\(shown) is written twice", at: entry.mark)
      }
    }
  }
}

extension Options {
  /// The hint for a key that is written at the wrong level: beside the `options` of a program that has its own, or inside a mapping for the
  /// options, which other tools have.
  private static func misplaced(_ entry: ConfigNode.Entry, _ source: OptionSource<Self>, among names: [String]) -> String? {
    guard source.path.isEmpty else { return nil }
    if names.contains("options") {
      return "; known are \(names.joined(separator: ", ")); options of the program itself are written inside 'options'"
    }
    guard case .map(let inner) = entry.value.value, let first = inner.first(where: { names.contains($0.key) }) else { return nil }
    return "; options are written beside 'plugin': move '\(first.key)' out of '\(OptionText.visible(entry.key))'"
  }
}

extension ConfigNode {
  /// True for text without quotation marks.
  fileprivate var isPlainText: Bool {
    guard case .scalar = value else { return false }
    return !isQuoted && !isNull
  }
}

/// Collects the problems that rules about several options report, and shows these rules which options were written.
public struct OptionProblems: Sendable {
  private let node: ConfigNode
  private let path: String
  private(set) var problems = Problems()

  init(_ node: ConfigNode, path: String) {
    self.node = node
    self.path = path
  }

  /// True if the user wrote the option `name`, so that its value is not the default.
  public func isGiven(_ name: String) -> Bool { node[name].map { !$0.isNull } ?? false }

  /// The place of the option `name`, or of item `item` of its list; if it is not written, the place of the options as a whole.
  package func mark(of name: String?, item: Int? = nil) -> ConfigNode.Mark {
    guard let name, case .map(let entries) = node.value, let entry = entries.last(where: { $0.key == name }) else { return node.mark }
    guard let item else { return entry.mark }
    guard case .list(let items) = entry.value.value, items.indices.contains(item) else { return entry.value.mark }
    return items[item].mark
  }

  /// Adds a problem, such as `either 'interval' or 'rate', not both`, at the option concerned.
  public mutating func add(_ message: String, at name: String? = nil, item: Int? = nil) {
    problems.add(path.isEmpty ? message : "'\(OptionText.visible(path))': \(message)", at: mark(of: name, item: item))
  }

  /// Adds a problem inside the text of an option.
  public mutating func add(_ fault: TextFault) {
    let message = path.isEmpty ? fault.message : "'\(OptionText.visible(path))': \(fault.message)"
    fault.saying(message).report(in: node, else: node.mark, &problems)
  }
}
