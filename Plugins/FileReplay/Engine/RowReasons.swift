internal import StockbusDecoding
internal import StockbusPlugin

/// Words for why a row gives no event, with hints at what its file needs.
struct RowReasons {
  private let fields: [ReplayField]
  private let mapping: [String: String]
  private let hasSymbol: Bool
  private let isJSON: Bool
  /// The message for the last row with missing fields. Consecutive rows that lack the same fields get the same one, computed once.
  private var lastMissing: (field: Int, unknown: [Int], keys: [String], text: String)?

  init(_ fields: [ReplayField], mapping: [String: String], hasSymbol: Bool, isJSON: Bool) {
    self.fields = fields
    self.mapping = mapping
    self.hasSymbol = hasSymbol
    self.isJSON = isJSON
  }

  /// - Parameter keys: the row's keys, if it is an object that lacks a field.
  mutating func text(
    of problem: FieldProblem, _ slots: borrowing Slots, keys: [String], in row: UnsafeBufferPointer<UInt8>, isTimeText: Bool
  ) -> String {
    let field = "'\(fields[problem.field].name)'"
    let bytes = slots[problem.field].trimmed
    let shown = String(decoding: bytes.prefix(60), as: UTF8.self)
    let text = "'\(shown)\(bytes.count > 60 ? "…" : "")'"
    switch problem.reason {
    case .missing: return isJSON ? missing(problem.field, keys, slots) + spread(row) : "\(field) is empty"
    case .notANumber: return "\(field) is not a number: \(text)" + ValueAdvice.number(bytes)
    case .tooManyDecimals: return "\(field) has more than nine decimals: \(text)" + rounding(problem.field)
    case .notExact:
      return "\(field) divided by the price scale is out of range or has more than nine decimals: \(text)" + rounding(problem.field)
    case .undefined: return "\(field) is undefined: \(text) stands for no number"
    case .ambiguous:
      return
        "\(field) is \(text): its point may separate thousands, because other numbers in this file have decimal commas; 'numbers: comma' "
        + "reads them"
    case .unsettledTime: return "\(field) is not a time: \(text)"
    case .outOfRange: return "\(field) is out of range: \(text)"
    case .negative: return "\(field) is negative: \(text)"
    case .notAFlag: return "\(field) is neither true nor false: \(text)"
    case .notASide: return "\(field) is neither buy nor sell: \(text)" + ValueAdvice.side(bytes)
    case .notACondition:
      return "\(field) has an unknown code: \(text); 'conditions' can say what it means"
    case .notWhole: return "\(field) is not a whole number: \(text)"
    case .notALength: return "\(field) is not a bar length such as 1m, 100t or 5000v: \(text)"
    case .notAValue: return "\(field) is an object or a list, not a value"
    case .symbol(let why): return "\(field): \(why): \(text)" + FileLook.encoding(bytes)
    case .time(let why): return "\(field) \(why): \(text)" + (isTimeText && why.hasPrefix("is not") ? ValueAdvice.time(bytes) : "")
    case .beyondTime(let unit):
      let meant = EpochTime.unit(meantBy: shown, insteadOf: unit)
      return "\(field) is out of range: \(text)\(meant.map { "; write 'time: \($0)'" } ?? "")"
    }
  }

  /// The option that would have kept a row whose price or column is too fine; empty for other fields, and where the price would be 0.
  private func rounding(_ field: Int) -> String {
    let kind = fields[field].kind
    if kind == .column { return "; 'finer_prices: round' rounds it to nine" }
    return kind == .price || kind == .quoted ? "; 'finer_prices: round' rounds prices to nine, unless that gives 0" : ""
  }

  /// The hint for an object of several lines. There is none if the configuration has paths, because these may begin at an array.
  func spread(_ row: UnsafeBufferPointer<UInt8>) -> String { mapping.isEmpty ? FileLook.spread(row) : "" }

  /// The message about an object that lacks a field, with the other fields that it lacks.
  private mutating func missing(_ field: Int, _ keys: [String], _ slots: borrowing Slots) -> String {
    var unknown: [Int] = []
    for field in fields.indices where slots[field].kind == .absent && isUnknown(field, among: keys) { unknown.append(field) }
    let lacking = unknown.contains(field) ? unknown : [field]
    if let last = lastMissing, last.unknown == unknown, last.field == field, last.keys == keys { return last.text }
    let names = lacking.map { "'\(fields[$0].name)'" }
    var text = listed(names) + (names.count > 1 ? " are missing" : " is missing")
    if let path = mapping[fields[field].name] { text += ": there is nothing at '\(path.prefix(60))'" }
    if !keys.isEmpty {
      text += "; the object has " + keys.prefix(20).map { "'\($0.prefix(60))'" }.joined(separator: ", ") + (keys.count > 20 ? ", …" : "")
      let other = FileLook.otherEvent(than: fields, in: keys)
      text += other.isEmpty && unknown.contains(field) ? "; " + remedy(for: lacking, in: keys) : other
    }
    lastMissing = (field, unknown, keys, text)
    return text
  }

  /// True if an absent field is required, has no mapping, and none of its names is among the keys; a field that is null is among them.
  private func isUnknown(_ field: Int, among keys: [String]) -> Bool {
    let wanted = fields[field]
    guard wanted.isRequired, mapping[wanted.name] == nil, !(hasSymbol && wanted.kind == .symbol) else { return false }
    return !keys.contains { key in wanted.aliases.contains { $0 == key || ($0.count > 1 && $0.lowercased() == key.lowercased()) } }
  }

  private func remedy(for lacking: [Int], in keys: [String]) -> String {
    let used = Set(
      fields.indices.filter { !lacking.contains($0) }.flatMap { field in
        let field = fields[field]
        return mapping[field.name].map { [String($0.prefix { $0 != "." && $0 != "[" })] } ?? field.aliases.map { $0.lowercased() }
      })
    let taken = Set(keys.indices.filter { used.contains(keys[$0]) || used.contains(keys[$0].lowercased()) })
    return LikelyColumns.remedy(for: lacking.map { fields[$0] }, in: keys, taken: taken, isNumbered: false)
  }
}
