package import EventBus
internal import MarketData
internal import Synchronization

/// The counters of one component, by name, in the order of their first use; its progress and its notes.
package final class CounterRegistry: Sendable {
  /// A counter with its name and description.
  package struct Entry: Sendable {
    package let name: String
    package let doc: String
    package let counter: Counter
  }

  /// Events that were taken but could not be kept.
  package let lost = Counter()
  /// The component's progress, if it has an end.
  package let progress = Progress()
  private let list = Mutex<[Entry]>([])
  private let lines = Mutex<[String]>([])
  private let isUnread = Atomic(false)

  package init() {}

  package var entries: [Entry] { list.withLock { $0 } }

  /// Lines for the end of the run, in the order of their addition.
  package var notes: [String] { lines.withLock { $0 } }

  /// True if the component's output has no reader any more.
  package var hasNoReader: Bool { isUnread.load(ordering: .relaxed) }

  func noteLostReader() { isUnread.store(true, ordering: .relaxed) }

  /// The most notes kept for a component.
  package static let noteLimit = 16

  func note(_ text: String) {
    let line = text.cut(toBytes: 512)
    lines.withLock { lines in if lines.count < Self.noteLimit, !lines.contains(line) { lines.append(line) } }
  }

  func counter(_ name: String, _ doc: String) -> Counter {
    list.withLock { list in
      if let known = list.first(where: { $0.name == name }) { return known.counter }
      let entry = Entry(name: name, doc: doc, counter: Counter())
      list.append(entry)
      return entry.counter
    }
  }
}
