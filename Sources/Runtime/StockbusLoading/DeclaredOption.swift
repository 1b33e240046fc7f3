package import StockbusPlugin

extension PluginManifest {
  /// The type of an option of a process.
  package enum OptionKind: String, Sendable, CaseIterable, Choice {
    case wholeNumber, number, bool, text, duration, symbol, list, mapping, any
  }

  /// An option of a process, which is declared nowhere else.
  package struct DeclaredOption: Options {
    @Setting("The default; without it the option is required.") package var `default`: FreeValue?
    @Setting("The description, a sentence with a full stop.", length: 1...500) package var doc: String
    @Setting("The type of the value; by default that of 'default', if it is a number, true, false, a list or a mapping, otherwise any.")
    package var type: OptionKind?
    @Setting("The smallest number or duration.", length: 1...50) package var min: String?
    @Setting("The largest number or duration.", length: 1...50) package var max: String?
    @Setting("The allowed words.", count: 0...100) package var values: [String] = []
    package init() {}
  }

  /// The options for the process: the written ones, which must be as declared, and the defaults of the others.
  /// - Parameter file: the description's path, for the error about an option that it does not declare.
  package func checked(
    _ node: ConfigNode?, at mark: ConfigNode.Mark, declaredIn file: String = PluginManifest.file
  ) throws(Problems) -> ConfigNode {
    var problems = Problems()
    var written: [ConfigNode.Entry] = []
    switch node?.value {
    case nil: break
    case .map(let entries)?: written = entries
    case .some: if let node, !node.isNull { problems.add("'options' must be a mapping, got \(node.kind)", at: node.mark) }
    }
    let names = options.entries.map(\.name)
    var entries: [ConfigNode.Entry] = []
    for entry in written {
      guard let option = options[entry.key] else {
        let near = didYouMean(entry.key, among: names)
        let known =
          (names.isEmpty ? "; it has none" : "; there are \(names.joined(separator: ", "))")
          + "; options are declared under 'options' in \(visible(file, limit: 200))"
        problems.add("unknown option \(shown(entry.key))\(near.isEmpty ? known : near)", at: entry.mark)
        continue
      }
      switch option.read(entry.value) {
      case .success(nil): continue
      case .success(let value?): entries.append(.init(key: entry.key, mark: entry.mark, value: value))
      case .failure(let fault): problems.add("'options.\(visible(entry.key))' \(fault): \(option.doc)", at: entry.value.mark)
      }
    }
    let given = Set(entries.map(\.key))
    // An option with a problem is not reported as missing too.
    for (name, option) in options.entries where !given.contains(name) && !written.contains(where: { $0.key == name && !$0.value.isNull }) {
      if let value = option.default {
        entries.append(.init(key: name, mark: mark, value: ConfigNode(value.json, at: mark)))
      } else {
        problems.add("'options' is missing \(shown(name)): \(option.doc)", at: node?.mark ?? mark)
      }
    }
    guard problems.isEmpty else { throw problems }
    return ConfigNode(.map(entries), at: node?.mark ?? mark)
  }
}

extension PluginManifest.DeclaredOption {
  /// Why a value does not fit, as the end of a sentence that begins with the option's name.
  struct Fault: Error, CustomStringConvertible { let description: String }

  /// The value as the process gets it; nil where nothing is written and the default applies.
  func read(_ node: ConfigNode) -> Result<ConfigNode?, Fault> {
    if node.isNull, kind != .any || !values.isEmpty { return .success(nil) }
    func fault(_ suffix: String = "") -> Result<ConfigNode?, Fault> {
      .failure(Fault(description: "must be \(phrase), got \(node.kind)\(suffix)"))
    }
    switch kind {
    case .any: return values.isEmpty ? .success(node) : word(node, fault)
    case .list:
      guard case .list = node.value else { return fault() }
      return .success(node)
    case .mapping:
      guard case .map = node.value else { return fault() }
      return .success(node)
    case .wholeNumber, .number, .bool, .text, .duration, .symbol: return word(node, fault)
    }
  }

  /// The problem of the declaration itself; nil if it has none.
  var fault: String? {
    if doc.last != "." { return "'doc' must be a sentence with a full stop" }
    if min != nil || max != nil {
      guard kind.isOrdered else { return "'min' and 'max' are for numbers and durations: write its 'type'" }
      for bound in [min, max].compactMap(\.self) where kind.parsed(bound) == nil { return "\(shown(bound)) is not a \(kind.words)" }
      if let min = min.flatMap(kind.parsed), let max = max.flatMap(kind.parsed), min.order > max.order { return "'min' is above 'max'" }
    }
    if !values.isEmpty, ![.any, .text, .symbol].contains(kind) { return "'values' are words: leave out 'type', or write text" }
    guard let value = `default` else { return nil }
    if case .failure(let fault) = read(ConfigNode(value.json, at: .init(line: 1, column: 1))) { return "its default \(fault)" }
    return nil
  }

  private func word(_ node: ConfigNode, _ fault: (String) -> Result<ConfigNode?, Fault>) -> Result<ConfigNode?, Fault> {
    guard case .scalar(let text) = node.value else { return fault("") }
    if !values.isEmpty {
      guard values.contains(text) else { return fault(didYouMean(text, among: values)) }
      return .success(kind == .any ? node : node.word(text, isText: true))
    }
    guard let value = kind.parsed(text) else { return fault(kind.advice(text, isSecret: !node.variables.isEmpty)) }
    if let low = min.flatMap(kind.parsed), value.order < low.order { return fault("") }
    if let high = max.flatMap(kind.parsed), value.order > high.order { return fault("") }
    return .success(node.word(value.text, isText: !kind.isLiteral))
  }

  /// Its description, for people.
  func info(_ name: String) -> OptionInfo {
    let range: String? =
      switch (min, max) {
      case _ where !values.isEmpty: values.joined(separator: ", ")
      case (let low?, let high?): "\(low) to \(high)"
      case (let low?, nil): "at least \(low)"
      case (nil, let high?): "at most \(high)"
      case (nil, nil): nil
      }
    return OptionInfo(
      declared: visible(name), visible(doc, limit: 500), type: values.isEmpty ? kind.words : "choice",
      default: `default`.map { visible($0.optionText, limit: 200) }, range: range.map { visible($0, limit: 500) },
      sample: values.first ?? min ?? kind.sample)
  }

  /// The option's type, also where only the default shows it.
  var kind: PluginManifest.OptionKind {
    if let type { return type }
    return switch `default`?.json {
    case .number: .number
    case .bool: .bool
    case .array: .list
    case .object: .mapping
    case .string, .null, nil: .any
    }
  }

  private var phrase: String {
    if !values.isEmpty { return "one of \(values.map { visible($0) }.joined(separator: ", "))" }
    let range =
      switch (min, max) {
      case (let low?, let high?): " from \(visible(low)) to \(visible(high))"
      case (let low?, nil): " of at least \(visible(low))"
      case (nil, let high?): " of at most \(visible(high))"
      case (nil, nil): ""
      }
    return kind.article + kind.words + (range.isEmpty && kind == .duration ? " such as 250ms" : range)
  }
}

extension PluginManifest.OptionKind {
  /// A value as the process gets it, and its rank for comparisons.
  struct Parsed {
    let text: String
    var order: Int128 = 0
  }

  fileprivate var isOrdered: Bool { self == .wholeNumber || self == .number || self == .duration }
  /// True for values that JSON writes without quotation marks.
  fileprivate var isLiteral: Bool { self == .wholeNumber || self == .number || self == .bool }

  fileprivate var words: String {
    switch self {
    case .wholeNumber: "whole number"
    case .number: "number"
    case .bool: "true or false"
    case .text: "text"
    case .duration: "duration"
    case .symbol: "symbol"
    case .list: "list"
    case .mapping: "mapping"
    case .any: "word"
    }
  }

  /// A value of this type as it is written.
  fileprivate var sample: String {
    switch self {
    case .wholeNumber: "1"
    case .number: "1.5"
    case .bool: "true"
    case .text, .any: "text"
    case .duration: "1s"
    case .symbol: "AAPL"
    case .list: "[]"
    case .mapping: "{}"
    }
  }

  fileprivate var article: String { self == .bool || self == .text ? "" : "a " }

  fileprivate func parsed(_ text: String) -> Parsed? {
    switch self {
    case .wholeNumber: (try? Int(option: text)).map { Parsed(text: String($0), order: Int128($0) * 1_000_000_000_000_000_000) }
    case .number: (try? Amount(text)).map { Parsed(text: FreeValue.isNumber(text) ? text : $0.description, order: $0.raw) }
    case .bool: (try? Bool(option: text)).map { Parsed(text: String($0)) }
    case .duration: (try? Duration(option: text)).map { Parsed(text: text, order: $0.attoseconds) }
    case .symbol: (try? Symbol(option: text)).map { _ in Parsed(text: text) }
    case .text, .any, .list, .mapping: Parsed(text: text)
    }
  }

  /// A suggestion of what to write instead, for an error's message.
  fileprivate func advice(_ text: String, isSecret: Bool) -> String {
    func suffix(_ read: () throws(OptionTextError) -> Void) -> String {
      do throws(OptionTextError) { try read() } catch { return error.mayRepeatText && isSecret ? "" : error.suffix }
      return ""
    }
    switch self {
    case .wholeNumber: return suffix { () throws(OptionTextError) in _ = try Int(option: text) }
    case .number: return isSecret ? "" : NumberText.advice(text).map { "; \($0)" } ?? ""
    case .bool: return suffix { () throws(OptionTextError) in _ = try Bool(option: text) }
    case .duration: return suffix { () throws(OptionTextError) in _ = try Duration(option: text) }
    case .symbol, .text, .any, .list, .mapping: return ""
    }
  }
}

extension ConfigNode {
  fileprivate func word(_ text: String, isText: Bool) -> ConfigNode {
    ConfigNode(.scalar(text), at: mark, isQuoted: isText, variables: variables)
  }
}
