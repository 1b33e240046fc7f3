import TestSupport
import StockbusConfig
import StockbusPlugin
import Testing

@Suite struct RandomTests {
  /// A tree without places.
  private indirect enum Tree {
    case text(String, isQuoted: Bool)
    case list([Tree])
    case map([(String, Tree)])

    /// As `written(_:marks:)` prints what is read.
    var written: String {
      switch self {
      case .text(let text, let isQuoted): isQuoted ? "'\(text)'" : text
      case .list(let items): "[" + items.map(\.written).joined(separator: ", ") + "]"
      case .map(let entries): "{" + entries.map { "\($0): \($1.written)" }.joined(separator: ", ") + "}"
      }
    }
  }

  private static func random(_ depth: Int, _ generator: inout SplitMix) -> Tree {
    switch depth == 0 ? 0 : Int.random(in: 0..<4, using: &generator) {
    case 1: return .list((0..<Int.random(in: 0...4, using: &generator)).map { _ in random(depth - 1, &generator) })
    case 2, 3:
      let keys = ["a", "b c", "d-1", "é", "<", "x: y", "#", "0"].shuffled(using: &generator)
      return .map(keys.prefix(Int.random(in: 0...5, using: &generator)).map { ($0, random(depth - 1, &generator)) })
    default:
      let isQuoted = Bool.random(using: &generator)
      let plain = ["x", "two words", "-1.5e3", "", "a:b", "c#d", "http://x/y?z=1&w", "50%", "é𝄞", "a'b\"c", "${A}", "null"]
      let quoted = plain + [" x ", "a: b", "- x", "# no", "it's", "\"", "\\", "\t", "a\nb\n", "[", "*a", "\u{7}", "\u{2028}"]
      return .text((isQuoted ? quoted : plain).randomElement(using: &generator)!, isQuoted: isQuoted)
    }
  }

  /// In single quotation marks if that is possible on one line and chosen at random, otherwise in double ones.
  private static func quoted(_ text: String, _ generator: inout SplitMix) -> String {
    let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{2028}" }
    if isPrintable, Bool.random(using: &generator) {
      return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": out += "\\\(scalar)"
      case "\n": out += "\\n"
      case _ where scalar.value < 0x20: out += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      case "\u{2028}": out += "\\L"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }

  private static func key(_ key: String, _ generator: inout SplitMix) -> String {
    ["x: y", "#"].contains(key) || Bool.random(using: &generator) ? quoted(key, &generator) : key
  }

  private static func flow(_ tree: Tree, _ generator: inout SplitMix) -> String {
    let gap = ["", " ", "\n   ", " # c\n  "].randomElement(using: &generator)!
    switch tree {
    case .text(let text, let isQuoted): return isQuoted ? quoted(text, &generator) : text
    case .list(let items): return "[" + gap + items.map { flow($0, &generator) }.joined(separator: "," + " " + gap) + " " + gap + "]"
    case .map(let entries):
      return "{" + gap + entries.map { key($0, &generator) + ": " + flow($1, &generator) }.joined(separator: " , " + gap) + " " + gap + "}"
    }
  }

  /// What follows `key:` or `-`: on the same line or on lines of its own, `indent` spaces in.
  private static func block(_ tree: Tree, indent: Int, _ generator: inout SplitMix) -> String {
    let margin = "\n" + String(repeating: " ", count: indent)
    let step = Int.random(in: 1...4, using: &generator)
    switch tree {
    case .list(let items) where !items.isEmpty:
      return items.map { margin + "-" + block($0, indent: indent + step, &generator) }.joined()
    case .map(let entries) where !entries.isEmpty:
      return entries.map { margin + key($0, &generator) + ":" + block($1, indent: indent + step, &generator) }.joined()
    case .list: return " []"
    case .map: return " {}"
    case .text(let text, let isQuoted): return " " + (isQuoted ? quoted(text, &generator) : text)
    }
  }

  @Test func `reads any tree that is written in block form`() {
    var generator = SplitMix(1)
    for _ in 0..<rounds(2_000) {
      let tree = Self.random(4, &generator)
      let text = "root:" + Self.block(tree, indent: 1, &generator) + "\n"
      #expect(StockbusConfigTests.tree(text, marks: false) == "{root: \(tree.written)}", "\(text)")
    }
  }

  /// Flow form has no plain empty items and reads `${A}` as a mapping, so its trees go without these.
  @Test func `reads any tree that is written in flow form`() {
    func fit(_ tree: Tree) -> Tree {
      switch tree {
      case .text(let text, let isQuoted): text.isEmpty || text == "${A}" ? .text("x", isQuoted: isQuoted) : tree
      case .list(let items): .list(items.map(fit))
      case .map(let entries): .map(entries.map { ($0, fit($1)) })
      }
    }
    var generator = SplitMix(2)
    for _ in 0..<rounds(2_000) {
      let tree = fit(Self.random(4, &generator))
      let text = "root: " + Self.flow(tree, &generator)
      #expect(StockbusConfigTests.tree(text, marks: false) == "{root: \(tree.written)}", "\(text)")
    }
  }

  /// 20,000 mutations, in four parts that run in parallel.
  @Test(arguments: 3...6 as ClosedRange<UInt64>)
  func `a mutated configuration gives a tree or problems inside of the file`(seed: UInt64) {
    var generator = SplitMix(seed)
    let original = Array(validConfig.utf8)
    let pieces = [
      "\t", "\n", "  ", "{", "}", "[", "]", ":", ": ", "- ", ",", "#", "&a ", "*a", "*slow", "<<: *slow", "!x ", "!!str ", "'", "\"", "\\",
      "|",
      ">", "%", "%TAG ! x\n", "---\n", "...\n", "?", "@", "`", "$", "${", "${X}", "${X:-", "\0", "é", "\u{FEFF}", "\u{2028}", "~", "\r",
    ].map { Array($0.utf8) }
    var failed = 0
    let count = rounds(1_500)
    for _ in 0..<count {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let start = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, start + Int.random(in: 0...8, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: pieces.randomElement(using: &generator)!, at: start)
        case 2: bytes.replaceSubrange(start..<end, with: pieces.randomElement(using: &generator)!)
        case 3: bytes.insert(contentsOf: Array(bytes[start..<end]), at: Int.random(in: 0...bytes.count, using: &generator))
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: start)
        }
      }
      // A byte that is not UTF-8 is replaced by one character, so lines and columns before it do not change.
      let text = String(decoding: bytes, as: UTF8.self)
      let config = ConfigLoader(environment: { $0 == "X" ? "x" : nil }).load(text: text, file: "t.yaml")
      var problems = config.problems.list
      if config.isIncomplete, problems.isEmpty { Issue.record("something is missing without a problem: \(text)") }
      if !text.utf8.elementsEqual(bytes) {
        let document = YAMLParser.parse(bytes, file: "t.yaml")
        if document.root != nil { Issue.record("no text, but a tree: \(bytes)") }
        problems += document.problems.list
      }
      let lines = Self.lineLengths(text)
      for problem in problems {
        let isInside =
          (1...lines.count).contains(problem.mark.line) && (1...(lines[problem.mark.line - 1] + 1)).contains(problem.mark.column)
        // One check instead of 100,000 calls of the macro.
        if !isInside || problem.message.contains(where: \.isNewline) || problem.message.contains("malformed YAML") {
          Issue.record("\(problem) in \(text)")
        }
      }
      failed += config.problems.isEmpty ? 0 : 1
    }
    // Both valid and invalid texts occurred, so the test covers both.
    #expect((count / 10...count - count / 50).contains(failed))
  }

  /// How many characters each line has without its end.
  private static func lineLengths(_ text: String) -> [Int] {
    var lengths = [0]
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars where !(scalar == "\u{FEFF}" && last == nil && lengths == [0]) {
      switch scalar {
      case "\n" where last == "\r": break
      case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": lengths.append(0)
      default: lengths[lengths.count - 1] += 1
      }
      last = scalar
    }
    return lengths
  }
}
