package import StockbusPlugin

/// Accounts for every event, per edge and in total: in = delivered + filtered + dropped + conflated + dead-lettered + in flight.
package struct Ledger: Sendable, Hashable {
  /// One edge: all inputs from one component to components of one name.
  package typealias Edge = RunEdge

  /// A counter that a component has defined.
  package struct Entry: Sendable, Hashable {
    package let component: String
    package let name: String
    package var total: Int

    package init(component: String, name: String, total: Int) {
      self.component = component
      self.name = name
      self.total = total
    }
  }

  /// A line that a component has added for the end of the run.
  package struct Note: Sendable, Hashable {
    package let component: String
    package let text: String

    package init(component: String, text: String) {
      self.component = component
      self.text = text
    }
  }

  package let edges: [Edge]
  package let counters: [Entry]
  package let notes: [Note]

  package init(edges: [Edge], counters: [Entry], notes: [Note] = []) {
    self.edges = edges
    self.counters = counters
    self.notes = notes
  }

  package var total: EdgeCounts { edges.reduce(into: EdgeCounts()) { $0 += $1.counts } }

  /// The name under which lost events are counted.
  static let lost = "LOST"
  /// The counters of rejected events, and of breaks in a venue's numbers.
  static let deadLetters = "dead letters"
  static let gaps = "gaps"

  /// Events that components took but could not keep.
  package var lost: Int { counters.reduce(0) { $0 + ($1.name == Self.lost ? $1.total : 0) } }

  /// True if nothing is unaccounted for on any edge.
  package var isBalanced: Bool { edges.allSatisfy { $0.counts.residue == 0 } }
}

extension Ledger: CustomStringConvertible {
  /// A table of the edges with a total, then the components' own counters, then their notes.
  package var description: String { LedgerText(self).lines.joined(separator: "\n") }

  /// A whole number in groups of three digits: `173,071`.
  package static func grouped(_ n: Int) -> String {
    var text = ""
    for (i, digit) in String(n.magnitude).reversed().enumerated() {
      if i > 0, i % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (n < 0 ? "-" : "") + String(text.reversed())
  }
}

extension Array where Element: Hashable {
  func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
