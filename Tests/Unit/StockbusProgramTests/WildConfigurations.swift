import Foundation
import TestSupport

/// Random configurations: the examples with lines, bytes and words exchanged, and artificial ones that people do not write.
struct WildConfigurations {
  private var random: SplitMix
  private let texts: [String]

  static let environment: [String: String] = [
    "A": "value", "EMPTY": "", "LONG": String(repeating: "x", count: 5000), "YAML": "{a: [b]}\n- c", "CONTROL": "\u{1b}[31m\u{7}\u{202e}",
    "REF": "${A}", "NUMBER": "5", "URL": "ws://user:secret@host/path",
  ]

  /// Starts from the project's own configurations.
  init(seed: UInt64) throws {
    random = SplitMix(seed)
    var texts = [try String(contentsOf: Repository.root.appending(path: "plugins.yaml"), encoding: .utf8)]
    for file in try FileManager.default.subpathsOfDirectory(atPath: Repository.root.appending(path: "Examples").path).sorted()
    where file.hasSuffix(".yaml") && !file.contains(".build") {
      texts.append(try String(contentsOf: Repository.root.appending(path: "Examples").appending(path: file), encoding: .utf8))
    }
    self.texts = texts
  }

  private mutating func pick<T>(_ items: [T]) -> T { items[Int.random(in: 0..<items.count, using: &random)] }
  private mutating func upTo(_ most: Int) -> Int { Int.random(in: 0...most, using: &random) }

  mutating func bytes() -> [UInt8] {
    switch upTo(19) {
    case 0...6: return Array(relined(pick(texts)).utf8)
    case 7...11: return Array(reworded(pick(texts)).utf8)
    case 12...15: return flipped(Array(pick(texts).utf8))
    case 16: return flipped(Array(reworded(relined(pick(texts))).utf8))
    case 17, 18: return Array(made().utf8)
    default: return (0..<upTo(300)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
  }

  /// Lines left out, doubled, swapped, indented, taken from another configuration.
  private mutating func relined(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for _ in 0...upTo(5) {
      let at = upTo(lines.count - 1)
      switch upTo(5) {
      case 0: if lines.count > 1 { lines.remove(at: at) }
      case 1: lines.insert(lines[at], at: upTo(lines.count))
      case 2: lines.swapAt(at, upTo(lines.count - 1))
      case 3: lines[at] = pick(["  ", "\t", "- ", "? ", "", "    "]) + lines[at]
      case 4: lines[at] = pick(pick(texts).split(separator: "\n").map(String.init))
      default: lines[at] = String(lines[at].drop { $0 == " " })
      }
    }
    return lines.joined(separator: "\n")
  }

  /// Values exchanged for others.
  private mutating func reworded(_ text: String) -> String {
    var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for _ in 0...upTo(4) {
      words[upTo(words.count - 1)] = pick([
        "\"${A}\"", "${NONE}", "\"${NONE:-${A:-x}}\"", "\"${LONG}\"", "\"${YAML}\"", "\"${CONTROL}\"", "\"${URL}\"", "\"${EMPTY:?why}\"",
        "\"${A",
        "*a", "&a", "<<:", "!!str", "!x", "null", "~", "-1", "99999999999999999999", "1e400", "NaN", "0", "true", "[]", "{}", "[[]]",
        "{a: {}}",
        "\"\\u0000\"", "é", "\u{301}", ":", "-", "?", "|", ">", "\"", "'", "#", "%", "@", "`", ",", "]", "}", "price > 1", "9999999d",
        "1KiB", "..",
        "2013-10-08T13:30:00Z", "max/0s", "0/s", "from:", "plugin:", "inputs:", "conflate", "\"(price)\"", "5s", "-5s", "100%", "*",
        "dead_letters",
      ])
    }
    return words.joined(separator: " ")
  }

  private mutating func flipped(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...upTo(4) where !bytes.isEmpty {
      let at = upTo(bytes.count - 1)
      switch upTo(4) {
      case 0: bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 1: bytes[at] = UInt8.random(in: 0...255, using: &random)
      case 2: bytes.remove(at: at)
      case 3: bytes.insert(pick(Array(":,[]{}\"'-&*!|>%@`#?~$ \n\t".utf8)), at: at)
      default: bytes.removeSubrange(at..<min(bytes.count, at + 1 + upTo(40)))
      }
    }
    return bytes
  }

  /// Alias bombs, deep nesting and the like; sometimes close to the limits.
  private mutating func made() -> String {
    let count = 1 + upTo(200)
    let deep = 1 + upTo(90)
    switch upTo(11) {
    case 0:
      let levels = 1 + upTo(20)
      return "x-0: &a0 [x, x]\n" + (1...levels).map { "x-\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1), *a\($0 - 1)]\n" }.joined()
        + "sinks: { s: { plugin: null_sink, inputs: *a\(levels) } }"
    case 1: return "sinks: " + String(repeating: pick(["[", "{a: ", "- ", "? "]), count: deep)
    case 2:
      return "sinks: { s: { plugin: file_writer, inputs: [dead_letters], path: \""
        + String(repeating: pick(["a", "é", "${A}", "\\t"]), count: count * 50) + "\" } }"
    case 3:
      return "runtime: { seed: \"" + String(repeating: "${N:-", count: deep / 4) + "1" + String(repeating: "}", count: deep / 4) + "\" }"
    case 4: return "sources:\n" + (0..<count).map { "  s\($0): { plugin: generator, symbols: \($0) }\n" }.joined()
    case 5: return "processors:\n" + (0..<count).map { "  p\($0): { plugin: sorting_feed, inputs: [p\(($0 + 1) % count)] }\n" }.joined()
    case 6: return "sinks:\n" + (0..<count).map { "  s\($0): { plugin: null_sink, inputs: [nowhere\($0), *a\($0)] }\n" }.joined()
    case 7: return "x: &x\n  <<: " + pick(["*x", "[*x, *x]", "1", "{<<: {<<: {}}}"]) + "\nsources: *x"
    case 8: return String(repeating: "\(pick(["a", "sources", "x-a", "? "])): \(pick(["", "1", "{}"]))\n", count: count)
    case 9: return "%YAML \(pick(["1.1", "1.2", "2.0", "x"]))\n---\nsources: {}\n" + pick(["...", "---\nb: 1", ""])
    case 10:
      let conditions = (0..<count).map { _ in pick(["price > 1", "not", "and", "(", ")", "symbol in [A]", "\\u{41}", "\u{301}"]) }
      return
        "sources: { t: { plugin: generator } }\nprocessors: { f: { plugin: filter, inputs: [t], where: '\(conditions.joined(separator: " "))' } }"
    default: return String(repeating: pick(["# x\n", "\n", " ", "\u{feff}", "a: b: c\n", "- - - "]), count: count)
    }
  }
}
