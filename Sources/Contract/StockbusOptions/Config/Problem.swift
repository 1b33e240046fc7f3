/// One problem of a configuration with its place: what is wrong, what was expected, and the likely fix, if any.
package struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
  package let mark: ConfigNode.Mark
  package let message: String

  package init(_ message: String, at mark: ConfigNode.Mark) {
    self.mark = mark
    self.message = message
  }

  /// `plugins.yaml:9:15: error: …`, as compilers write it: one line, without characters that control a terminal.
  package var description: String { "\(mark.place): error: \(OptionText.visible(message, limit: .max))" }
}

/// All problems of a configuration.
public struct Problems: Error, Sendable, CustomStringConvertible {
  package private(set) var list: [Problem] = []

  package init() {}

  package var isEmpty: Bool { list.isEmpty }

  package mutating func add(_ message: String, at mark: ConfigNode.Mark) { list.append(Problem(message, at: mark)) }
  package mutating func add(_ others: Problems) { list += others.list }

  /// Ordered by file and place, without duplicates.
  package var sorted: [Problem] {
    var seen: Set<Problem> = []
    return list.sorted { ($0.mark.file, $0.mark.line, $0.mark.column) < ($1.mark.file, $1.mark.line, $1.mark.column) }
      .filter { seen.insert($0).inserted }
  }

  /// One line per problem.
  public var description: String { sorted.map(\.description).joined(separator: "\n") }
}
