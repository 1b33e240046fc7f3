import StockbusPlugin

/// Flow YAML for tests: `{a: 1, b: [x, "y"], c: {}}`; every node has its location.
struct FlowReader {
  private let text: [Character]
  private var at = 0
  private var line = 1
  private var column = 1

  init(_ text: String) { self.text = Array(text) }

  private var peek: Character? { at < text.count ? text[at] : nil }
  private var mark: ConfigNode.Mark { .init(line: line, column: column) }

  private mutating func advance() {
    if text[at] == "\n" {
      line += 1
      column = 1
    } else {
      column += 1
    }
    at += 1
  }

  private mutating func skipBlanks() { while let c = peek, c.isWhitespace { advance() } }

  mutating func node() -> ConfigNode {
    skipBlanks()
    let mark = mark
    switch peek {
    case "[":
      return ConfigNode(.list(items("]") { $0.node() }), at: mark)
    case "{":
      return ConfigNode(.map(items("}") { $0.entry() }), at: mark)
    default:
      let (text, isQuoted) = scalar()
      return ConfigNode(.scalar(text), at: mark, isQuoted: isQuoted)
    }
  }

  private mutating func entry() -> ConfigNode.Entry {
    skipBlanks()
    let mark = mark
    let key = scalar().text
    skipBlanks()
    if peek == ":" { advance() }
    return .init(key: key, mark: mark, value: node())
  }

  private mutating func items<T>(_ close: Character, _ read: (inout FlowReader) -> T) -> [T] {
    var items: [T] = []
    advance()
    skipBlanks()
    while let c = peek, c != close {
      items.append(read(&self))
      skipBlanks()
      if peek == "," { advance() }
      skipBlanks()
    }
    if peek != nil { advance() }
    return items
  }

  private mutating func scalar() -> (text: String, isQuoted: Bool) {
    var out = ""
    if peek == "\"" {
      advance()
      while let c = peek, c != "\"" {
        advance()
        if c == "\\" { out += escape() } else { out.append(c) }
      }
      if peek != nil { advance() }
      return (variables(out), true)
    }
    while let c = peek, !",[]{}\n".contains(c) {
      if c == ":", at + 1 == text.count || text[at + 1].isWhitespace { break }
      out.append(c)
      advance()
    }
    while out.last == " " { out.removeLast() }
    return (variables(out), false)
  }

  private mutating func escape() -> String {
    let c = peek ?? "\\"
    advance()
    switch c {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      let hex = String(text[at..<at + 4])
      for _ in 0..<4 { advance() }
      return Unicode.Scalar(UInt32(hex, radix: 16) ?? 0).map { String(Character($0)) } ?? "?"
    default: return String(c)
    }
  }

  /// `$$` becomes `$`, as in all texts with variables.
  private func variables(_ text: String) -> String {
    var out = ""
    var rest = text[...]
    while let c = rest.first {
      out.append(c)
      rest = rest.dropFirst(rest.hasPrefix("$$") ? 2 : 1)
    }
    return out
  }
}
