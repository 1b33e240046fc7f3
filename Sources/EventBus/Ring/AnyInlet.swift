public import MarketData

/// An inlet seen without its event type: what supervision and the ledger need.
public protocol AnyInlet: AnyObject, Sendable {
  /// What it reads.
  var source: any AnyTopic { get }
  /// The topic's name.
  var name: String { get }
  var eventType: any Event.Type { get }
  var options: InletOptions { get }
  /// True where a run waits.
  var isReady: Bool { get }
  /// True where the topic has ended and everything was read.
  var isFinished: Bool { get }
  /// Asks to be woken at the next event; followed by the parker's `fence` and another look.
  func announce()
  /// Takes the announcement back.
  func retract()
  /// The life that read this inlet has thrown: its run comes again one by one, and the event that threw alone is answered as a
  /// dead letter and skipped.
  func recover(_ reason: String, component: String, at time: Timestamp) -> DeadLetter?
  /// The life that read this inlet has thrown for a reason that is no event's fault: its run comes again as it was.
  func retry()
  /// Hands nothing out from the next run on, whatever waits, and is neither ready nor finished; what is in hand is done with as usual. From any task.
  func hold()
  /// Takes `hold` back and wakes the reader.
  func letGo()
  /// Ends this inlet and begins one with other options at the very event where this one is: what waits here comes first there, and which
  /// event threw is not forgotten. `initial` has no effect here. Only the reader may call, between two runs.
  func reattach(options: InletOptions) -> any AnyInlet
  /// The reader is gone for good and holds nobody back any more; only while no life runs. Twice is harmless.
  func detach()
  var counts: EdgeCounts { get }
}

/// What became of the events of one edge: `published` is the sum of all the others, always.
public struct EdgeCounts: Hashable, Sendable {
  /// Events the topic published since the inlet was attached, and the snapshot before them.
  public var published = 0
  public var delivered = 0
  public var filtered = 0
  public var dropped = 0
  public var conflated = 0
  public var deadLettered = 0
  /// Waiting, or in a reader's hand.
  public var inFlight = 0

  public init() {}

  /// Without what is under way: what remains of an edge when another one goes on with that.
  public var settled: EdgeCounts {
    var counts = self
    counts.published -= inFlight
    counts.inFlight = 0
    return counts
  }

  /// What is unaccounted for: 0, or we have a bug.
  public var residue: Int { published - delivered - filtered - dropped - conflated - deadLettered - inFlight }

  public static func += (a: inout EdgeCounts, b: EdgeCounts) {
    a.published += b.published
    a.delivered += b.delivered
    a.filtered += b.filtered
    a.dropped += b.dropped
    a.conflated += b.conflated
    a.deadLettered += b.deadLettered
    a.inFlight += b.inFlight
  }
}
