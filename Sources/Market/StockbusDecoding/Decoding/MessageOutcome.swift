internal import StockbusPlugin

/// The result of examining a message.
@usableFromInline package enum MessageOutcome: Hashable, Sendable {
  /// The message gave this many events; 0 if all its items were excluded.
  case events(Int)
  /// The venue has accepted a request; with the name of the kind.
  case acknowledgement(kind: String)
  /// The venue has authenticated the client: subscriptions may follow.
  case authenticated(kind: String)
  /// The venue has refused a request; with its message.
  case refusal(kind: String, text: String)
  case heartbeat(kind: String)
  /// A known kind that gives no events of the wanted type.
  case other(kind: String)
  /// No JSON, but a text such as `pong`; with the text if it is short, otherwise with its beginning.
  case notJSON(text: String)
  /// An unknown kind; with its shape, such as `{e,E,s,…}`.
  case unknown(shape: String)
  /// A damaged object or list, or one with an invalid value; with the reason and the position.
  case malformed(reason: String)
  /// A list of messages with different verdicts, or of items of which some are malformed.
  case several([MessageOutcome])
}

/// The number of messages by kind.
package struct MessageTally: Hashable, Sendable {
  /// The kinds of the spec in its order, with their counts.
  package internal(set) var kinds: [(name: String, count: Int)]
  /// The use of the messages of each kind, in the order of `kinds`.
  package let fates: [Fate]
  /// Unknown messages by shape, including texts other than JSON, in order of first occurrence; after 64 shapes all others count as `…`.
  package var shapes: [(shape: String, count: Int)] { listed + (unlisted > 0 ? [("…", unlisted)] : []) }
  private var listed: [(shape: String, count: Int)] = []
  private var unlisted = 0
  /// Damaged objects and lists, and messages in which a required value is missing or invalid. The latter are also counted under their kind.
  package internal(set) var malformed = 0
  /// Texts that the spec ignores.
  package internal(set) var ignored = 0
  package internal(set) var events = 0
  package internal(set) var gaps = 0

  static let shapeLimit = 64

  /// The use of the messages of a kind.
  package enum Fate: Hashable, Sendable {
    /// The messages become events.
    case event
    /// The messages serve the connection.
    case service
    /// The messages are known, but give no event of the wanted type.
    case passedOver
    /// Like `passedOver`, and the messages cancel or correct trades that were sent before.
    case correction

    /// True if such a message becomes no event and does not serve the connection.
    package var isPassedOver: Bool { self == .passedOver || self == .correction }
  }

  init(kinds: [(name: String, count: Int)], fates: [Fate]) {
    self.kinds = kinds
    self.fates = fates
  }

  /// The number of messages that become events.
  package var data: Int { zip(kinds, fates).reduce(0) { $0 + ($1.1 == .event ? $1.0.count : 0) } }

  /// The number of unknown messages of all shapes.
  package var unknown: Int { shapes.reduce(0) { $0 + $1.count } }

  /// The shapes of the unknown messages, the most frequent first: `2 × {topic,rows}, 1 × {news}`; an empty text if there are none.
  package static func words(of shapes: [(shape: String, count: Int)]) -> String {
    let sorted = shapes.sorted { $0.count > $1.count }
    return sorted.prefix(10).map { "\($0.count) × \(visible($0.shape, limit: 120))" }.joined(separator: ", ")
      + (sorted.count > 10 ? ", …" : "")
  }

  /// Why there is no event although messages have come: no `when` fits them. Nil if a message of a kind with events was among them, or none
  /// was unknown.
  package var misfit: String? {
    guard data == 0, unknown > 0 else { return nil }
    let what = unknown == 1 ? "1 message fits" : "\(unknown) messages fit"
    return "\(what) no 'when' in the decoding, and none was of a kind with events: compare 'when' with \(Self.words(of: shapes))"
  }

  /// The number of messages of a kind; 0 for an unknown name.
  package subscript(kind: String) -> Int { kinds.first { $0.name == kind }?.count ?? 0 }

  /// This tally with the counts by kind of another reader of the same spec added; the other counts stay.
  package func adding(_ other: MessageTally) -> MessageTally {
    var sum = self
    for (place, kind) in other.kinds.enumerated() where place < kinds.count { sum.kinds[place].count += kind.count }
    return sum
  }

  mutating func add(shape: String) {
    if let known = listed.firstIndex(where: { $0.shape == shape }) {
      listed[known].count += 1
    } else if listed.count < Self.shapeLimit {
      listed.append((shape, 1))
    } else {
      unlisted += 1
    }
  }

  /// Counts an unknown message whose shape has not been determined.
  mutating func addUnlisted() { unlisted += 1 }

  package static func == (a: MessageTally, b: MessageTally) -> Bool {
    a.kinds.elementsEqual(b.kinds) { $0 == $1 } && a.shapes.elementsEqual(b.shapes) { $0 == $1 } && a.malformed == b.malformed
      && a.events == b.events && a.gaps == b.gaps
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(events)
    hasher.combine(malformed)
  }
}
