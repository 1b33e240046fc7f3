internal import StockbusPlugin

/// A program's part in the run.
struct ProgramRole: Sendable {
  let kind: Blueprint.Kind
  /// The event type of its inputs; nil for a source.
  let takes: String?
  /// The event type of its output; nil for a sink.
  let emits: String?
  /// The columns of its inputs.
  var reads = ColumnLayout()
  /// The columns of its output.
  var columns = ColumnLayout()

  /// True if packed events have rows behind them, which a program has to know.
  var hasColumns: Bool { !reads.isEmpty || !columns.isEmpty }

  /// The message with which the host begins.
  func hello(_ component: String) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("hello", .number(ProgramRole.version)), .init("component", .string(component)), .init("kind", .string(kind.rawValue)),
      .init("takes", takes.map { .string($0) } ?? .null), .init("emits", emits.map { .string($0) } ?? .null),
    ]
    if !reads.isEmpty { members.append(.init("columns", reads.json)) }
    if !columns.isEmpty { members.append(.init("emits_columns", columns.json)) }
    return .object(members + [.init("framings", .array(framings.map { .string($0) }))])
  }

  /// How messages and events may come, besides as lines: packed, without columns or with them.
  private var framings: [String] { ["lines", "binary"] + (hasColumns ? [Self.framingWithColumns] : []) }
  static var framingWithColumns: String { "binary_columns" }

  /// The highest version of the protocol that the host knows.
  static var version: Int { 1 }

  /// Why a program with this answer does not fit; nil if it does.
  func misfit(_ answer: JSONValue) -> String? {
    guard let version = answer["hello"]?.count, version >= 1 else { return "sends hello without the version of the protocol" }
    if version > Self.version { return "needs version \(version) of the protocol; this stockbus supports \(Self.version)" }
    if let framing = answer["framing"], !framings.contains(framing.text ?? "") {
      return "needs the framing \(shown("\(framing)", limit: 100)); this stockbus supports \(listed(framings))"
    }
    if let takes, case .array(let types)? = answer["takes"], !types.contains(.string(takes)) {
      let known = types.map { $0.text.map { shown($0) } ?? "\($0)" }
      return "takes \(known.isEmpty ? "no events" : known.joined(separator: ", ")), and its input is \(takes)"
    }
    if let emits, let type = answer["emits"]?.text, type != emits {
      return "emits \(shown(type)), and its output is \(emits); write 'emits: \(visible(type))'"
    }
    guard emits != nil else { return nil }
    guard let own = ColumnLayout(json: answer["columns"]) else {
      return "sends hello with columns that are none: \(shown("\(answer["columns"] ?? .null)", limit: 100))"
    }
    for column in own.columns where !columns.columns.contains(column) {
      let name = visible(column.name, limit: 64)
      if let other = columns.columns.first(where: { $0.name == column.name }) {
        return "emits the column '\(name)' as a \(column.kind.rawValue), and in its output it is a \(other.kind.rawValue)"
      }
      return "emits a column '\(name)', which its output does not have; write 'extra_columns: { \(name): \(column.kind.rawValue) }'"
    }
    return nil
  }
}
