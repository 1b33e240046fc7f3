import ArgumentParser
import LibC
import StockbusConfig
import StockbusPlugin
import StockbusSystem

/// Something to write in a file of tests, in place of what it expects.
struct TestUpdate {
  enum Old {
    /// A number, a word, or a text in quotation marks.
    case scalar(ConfigNode)
    /// A list, which begins at the mark.
    case list(ConfigNode.Mark)
  }

  let old: Old
  /// One text for a scalar, the items for a list.
  let new: [String]

  fileprivate var mark: ConfigNode.Mark {
    switch old {
    case .scalar(let node): node.mark
    case .list(let mark): mark
    }
  }

  /// The text with what came in the places of what was expected; everything else stays, comments too.
  static func apply(_ updates: [TestUpdate], to text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0.unicodeScalars) }
    // From the end on, so that the places before stay where they are.
    for update in updates.sorted(by: { ($1.mark.line, $1.mark.column) < ($0.mark.line, $0.mark.column) }) {
      let (line, column) = (update.mark.line - 1, update.mark.column - 1)
      guard lines.indices.contains(line), lines[line].indices.contains(column) else { continue }
      switch update.old {
      case .scalar(let node):
        guard case .scalar(let old) = node.value, node.isVerbatim else { continue }
        let end = min(lines[line].count, column + old.unicodeScalars.count + (node.isQuoted ? 2 : 0))
        lines[line].replaceSubrange(column..<end, with: Array((update.new.first ?? "").unicodeScalars))
      case .list:
        if lines[line][column] == "[" {
          replaceFlow(&lines, line, column, update.new)
        } else {
          replaceBlock(&lines, line, column, update.new)
        }
      }
    }
    return lines.map { String(String.UnicodeScalarView($0)) }.joined(separator: "\n")
  }

  /// Replaces `[…]`, which may end on a later line.
  private static func replaceFlow(_ lines: inout [[Unicode.Scalar]], _ line: Int, _ column: Int, _ items: [String]) {
    var (depth, quote): (Int, Unicode.Scalar?) = (0, nil)
    for end in line..<lines.count {
      scan: for (place, character) in lines[end].enumerated() where end > line || place >= column {
        if let open = quote {
          if character == open { quote = nil }
          continue
        }
        switch character {
        case "\"", "'": quote = character
        case "#" where place == 0 || lines[end][place - 1] == " ": break scan
        case "[", "{": depth += 1
        case "]", "}": depth -= 1
        default: break
        }
        guard depth == 0 else { continue }
        let text = Array("[\(items.joined(separator: ", "))]".unicodeScalars)
        let rest = lines[end][(place + 1)...]
        lines.replaceSubrange(line...end, with: [Array(lines[line][..<column]) + text + rest])
        return
      }
    }
  }

  /// Replaces the lines of `- …` at a column, up to the next line that is less indented.
  private static func replaceBlock(_ lines: inout [[Unicode.Scalar]], _ line: Int, _ column: Int, _ items: [String]) {
    func indent(_ line: [Unicode.Scalar]) -> Int? {
      guard let first = line.firstIndex(where: { $0 != " " }), line[first] != "#" else { return nil }
      return first
    }
    var end = line
    for next in (line + 1)..<max(line + 1, lines.count) {
      guard let depth = indent(lines[next]) else { continue }
      if depth < column || depth == column && lines[next][depth] != "-" { break }
      end = next
    }
    let margin = String(repeating: " ", count: column)
    let new = items.isEmpty ? ["\(margin)  []"] : items.map { "\(margin)- \($0)" }
    lines.replaceSubrange(line...end, with: new.map { Array($0.unicodeScalars) })
  }
}

extension TestFile {
  /// Writes what came into the file, which is replaced as a whole. Returns a line about it; nil if nothing was to be written.
  func write(_ updates: [TestUpdate]) throws -> String? {
    if updates.isEmpty { return nil }
    let next = "\(path).new"
    do throws(Errno) {
      let file = try FileDescriptor.opening(path, .readOnly)
      let bytes = try file.readToEnd(atMost: 1 << 24)
      try file.shut()
      let new = try FileDescriptor.opening(
        next, .writeOnly, [.create, .exclusiveCreate], permissions: [.ownerReadWrite, .groupRead, .otherRead])
      try new.writeWhole(Array(TestUpdate.apply(updates, to: String(decoding: bytes, as: UTF8.self)).utf8))
      try new.shut()
      if rename(next, path) != 0 { throw Errno(rawValue: errno) }
      return "wrote \(shown(path, limit: 4096)): what came, in \(updates.count == 1 ? "1 place" : "\(updates.count) places")"
    } catch {
      StandardError.write("Error: \(shown(path, limit: 4096)) could not be written: \(error)")
      throw ExitCode.failure
    }
  }
}
