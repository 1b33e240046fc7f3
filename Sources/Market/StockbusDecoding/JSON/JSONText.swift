package import StockbusPlugin

/// Parses JSON texts of some kilobytes that are not events, such as the messages of a program. Reuses its memory for the next text.
package struct JSONText: ~Copyable {
  /// Why a text is not JSON, and where: `byte 17: ':' is expected`.
  package struct Fault: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  private var tape: JSONTape

  /// A parser for texts of at most `limit` bytes.
  package init(limit: Int) { tape = JSONTape(limit: limit) }

  /// The value of a text, with numbers as written. Nesting is limited to 64 levels.
  package mutating func value(_ text: UnsafeBufferPointer<UInt8>) throws(Fault) -> JSONValue {
    do throws(JSONProblem) { try tape.read(text) } catch { throw Fault(description: "\(error)") }
    return value(of: 0)
  }

  private func value(of node: Int) -> JSONValue {
    switch tape.nodes[node].kind {
    case .null: return .null
    case .yes: return .bool(true)
    case .no: return .bool(false)
    // The tape accepts no words.
    case .number, .word: return .number(String(decoding: tape.bytes(node), as: UTF8.self))
    case .text, .key: return .string(tape.string(node, limit: .max))
    case .array:
      var items: [JSONValue] = []
      var at = node + 1
      while at < Int(tape.nodes[node].next) {
        items.append(value(of: at))
        at = Int(tape.nodes[at].next)
      }
      return .array(items)
    case .object:
      var members: [JSONValue.Member] = []
      var at = node + 1
      while at < Int(tape.nodes[node].next) {
        members.append(JSONValue.Member(tape.string(at, limit: .max), value(of: at + 1)))
        at = Int(tape.nodes[at + 1].next)
      }
      return .object(members)
    }
  }
}
