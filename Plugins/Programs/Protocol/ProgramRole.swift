internal import StockbusPlugin

/// A program's part in the run.
struct ProgramRole: Sendable {
  let kind: Blueprint.Kind
  /// The event type of its inputs; nil for a source.
  let takes: String?
  /// The event type of its output; nil for a sink.
  let emits: String?

  /// The message with which the host begins.
  func hello(_ component: String) -> JSONValue {
    [
      "hello": .number(ProgramRole.version), "component": .string(component), "kind": .string(kind.rawValue),
      "takes": takes.map { .string($0) } ?? .null, "emits": emits.map { .string($0) } ?? .null,
      "framings": ["lines", "binary"],
    ]
  }

  /// The highest version of the protocol that the host knows.
  static var version: Int { 1 }

  /// Why a program with this answer does not fit; nil if it does.
  func misfit(_ answer: JSONValue) -> String? {
    guard let version = answer["hello"]?.count, version >= 1 else { return "sends hello without the version of the protocol" }
    if version > Self.version { return "needs version \(version) of the protocol; this stockbus supports \(Self.version)" }
    if let framing = answer["framing"], framing != "lines", framing != "binary" {
      return "needs the framing \(shown("\(framing)", limit: 100)); this stockbus supports lines and binary"
    }
    if let takes, case .array(let types)? = answer["takes"], !types.contains(.string(takes)) {
      let known = types.map { $0.text.map { shown($0) } ?? "\($0)" }
      return "takes \(known.isEmpty ? "no events" : known.joined(separator: ", ")), and its input is \(takes)"
    }
    if let emits, let type = answer["emits"]?.text, type != emits {
      return "emits \(shown(type)), and its output is \(emits); write 'emits: \(visible(type))'"
    }
    return nil
  }
}
