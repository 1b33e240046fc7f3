/// What a message turned out to be.
public enum Verdict: Hashable, Sendable {
  /// So many events came out of it; also none, where its items were all left out.
  case events(Int)
  /// The venue has heard us; the kind's name.
  case acknowledgement(kind: String)
  /// The venue knows us: subscriptions may follow.
  case authenticated(kind: String)
  /// The venue refuses something, in its words.
  case refusal(kind: String, text: String)
  case heartbeat(kind: String)
  /// A kind that is known and makes no events of the type that is wanted.
  case other(kind: String)
  /// No kind that is known; its shape, such as `{e,E,s,…}`.
  case unknown(shape: String)
  /// It is damaged, or a value in it does not fit: why, with the place.
  case malformed(reason: String)
  /// A list of messages, or of items some of which are malformed, that is not one of the above as a whole.
  case several([Verdict])
}

/// How often what kind of message came.
public struct MessageTally: Hashable, Sendable {
  /// The kinds of the spec in its order, with their counts.
  public internal(set) var kinds: [(name: String, count: Int)]
  /// Unknown messages by shape, the first seen first; after 64 shapes the others count together as `…`.
  public var shapes: [(shape: String, count: Int)] { listed + (unlisted > 0 ? [("…", unlisted)] : []) }
  private var listed: [(shape: String, count: Int)] = []
  private var unlisted = 0
  /// Messages that are no JSON, or lack or garble what is needed. Those are counted among their kind as well.
  public internal(set) var malformed = 0
  public internal(set) var events = 0
  public internal(set) var gaps = 0

  static let shapeLimit = 64

  init(kinds: [(name: String, count: Int)]) { self.kinds = kinds }

  /// Unknown messages, all shapes together.
  public var unknown: Int { shapes.reduce(0) { $0 + $1.count } }

  /// How often a kind came; 0 for a name that is none.
  public subscript(kind: String) -> Int { kinds.first { $0.name == kind }?.count ?? 0 }

  mutating func add(shape: String) {
    if let known = listed.firstIndex(where: { $0.shape == shape }) {
      listed[known].count += 1
    } else if listed.count < Self.shapeLimit {
      listed.append((shape, 1))
    } else {
      unlisted += 1
    }
  }

  /// One more whose shape nobody has looked at.
  mutating func addUnlisted() { unlisted += 1 }

  public static func == (a: MessageTally, b: MessageTally) -> Bool {
    a.kinds.elementsEqual(b.kinds) { $0 == $1 } && a.shapes.elementsEqual(b.shapes) { $0 == $1 } && a.malformed == b.malformed
      && a.events == b.events && a.gaps == b.gaps
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(events)
    hasher.combine(malformed)
  }
}
