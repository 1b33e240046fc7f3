/// The shape of a message, by which unknown messages are counted: `{e,E,s,…}`, `[number,{…},text]`.
enum MessageShape {
  /// How many keys or items are shown.
  private static let width = 12

  /// An object's keys in order; the kinds of a list's items.
  static func of(_ node: Int, in tape: borrowing JSONTape) -> String {
    switch tape.nodes[node].kind {
    case .object:
      let keys = children(node, step: 2, in: tape).map { name(tape.string($0, limit: 40)) }
      return "{\(list(keys))}"
    case .array:
      let items = children(node, step: 1, in: tape).map { word($0, in: tape) }
      return "[\(list(items))]"
    default: return word(node, in: tape)
    }
  }

  /// What an object, or a list, has where a value in it is missing: `; the object has 'a', 'b'`. Empty for other values.
  static func contents(of node: Int, in tape: borrowing JSONTape) -> String {
    switch tape.nodes[node].kind {
    case .object:
      let keys = children(node, step: 2, in: tape).map { "'\(name(tape.string($0, limit: 40)))'" }
      if keys.isEmpty { return "; the object is empty" }
      return "; the object has \(keys.prefix(width).joined(separator: ", "))\(keys.count > width ? ", …" : "")"
    case .array: return "; the list is \(of(node, in: tape))"
    default: return ""
    }
  }

  /// The children, one more than is shown, which indicates that there are more.
  private static func children(_ node: Int, step: Int, in tape: borrowing JSONTape) -> [Int] {
    var found: [Int] = []
    let end = Int(tape.nodes[node].next)
    var at = node + 1
    while at < end, found.count <= width {
      found.append(at)
      at = Int(tape.nodes[step == 2 ? at + 1 : at].next)
    }
    return found
  }

  private static func list(_ words: [String]) -> String {
    words.count > width ? words.prefix(width).joined(separator: ",") + ",…" : words.joined(separator: ",")
  }

  private static func word(_ node: Int, in tape: borrowing JSONTape) -> String {
    switch tape.nodes[node].kind {
    case .object: Int(tape.nodes[node].next) == node + 1 ? "{}" : "{…}"
    case .array: Int(tape.nodes[node].next) == node + 1 ? "[]" : "[…]"
    case .text, .key: "text"
    case .number: "number"
    case .yes, .no: "flag"
    case .null: "null"
    case .word: "word"
    }
  }

  /// Keys may contain any character: those that would obscure the shape or control a terminal are replaced.
  private static func name(_ key: String) -> String {
    String(
      String.UnicodeScalarView(
        key.unicodeScalars.map { $0.value < 32 || (127..<160).contains($0.value) || ",{}[]".unicodeScalars.contains($0) ? "?" : $0 }))
  }
}
