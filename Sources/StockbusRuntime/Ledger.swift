public import EventBus
public import StockbusPlugin

/// What became of every event, per edge and in total: in = delivered + filtered + dropped + conflated + dead-lettered + in flight.
public struct Ledger: Sendable, Hashable {
  /// One edge: an input of a component.
  public typealias Edge = RunEdge

  /// A counter that a component has defined.
  public struct Entry: Sendable, Hashable {
    public let component: String
    public let name: String
    public let total: Int

    public init(component: String, name: String, total: Int) {
      self.component = component
      self.name = name
      self.total = total
    }
  }

  /// A line that a component has added for the end of the run.
  public struct Note: Sendable, Hashable {
    public let component: String
    public let text: String

    public init(component: String, text: String) {
      self.component = component
      self.text = text
    }
  }

  public let edges: [Edge]
  public let counters: [Entry]
  public let notes: [Note]

  public init(edges: [Edge], counters: [Entry], notes: [Note] = []) {
    self.edges = edges
    self.counters = counters
    self.notes = notes
  }

  public var total: EdgeCounts { edges.reduce(into: EdgeCounts()) { $0 += $1.counts } }

  /// The name under which lost events are counted.
  static let lost = "LOST"
  /// The names under which events that were set aside, and breaks in a venue's numbers, are counted.
  static let deadLetters = "dead letters"
  static let gaps = "gaps"

  /// Events that components took but could not keep.
  public var lost: Int { counters.reduce(0) { $0 + ($1.name == Self.lost ? $1.total : 0) } }

  /// True if nothing is unaccounted for on any edge.
  public var isBalanced: Bool { edges.allSatisfy { $0.counts.residue == 0 } }
}

extension Ledger: CustomStringConvertible {
  /// A table of the edges with a total, then the components' own counters, then their notes.
  public var description: String { LedgerText(self).lines.joined(separator: "\n") }

  /// A whole number in groups of three digits: `173,071`.
  public static func grouped(_ n: Int) -> String {
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
