public import MarketData

/// An inlet without its event type, for supervision and the ledger.
@usableFromInline package protocol AnyInlet: AnyObject, Sendable {
  /// The topic it reads.
  var source: any AnyTopic { get }
  /// The topic's name.
  var name: String { get }
  var eventType: any Event.Type { get }
  var options: SubscriptionOptions { get }
  /// True if a batch waits.
  var isReady: Bool { get }
  /// True if the topic has ended and all its events were read.
  var isFinished: Bool { get }
  /// Asks for a wake-up at the next event. The caller then runs the parker's `fence` and checks for events again.
  func announce()
  /// Withdraws the announcement.
  func retract()
  /// To be called after the instance that read this inlet has thrown. Its batch is delivered again, one event at a time; an event that
  /// throws when it is alone is skipped and returned as a dead letter.
  func recover(_ reason: String, component: String, at time: Timestamp) -> DeadLetter?
  /// To be called after the instance that read this inlet has thrown for a reason that no event has caused: its batch is delivered again
  /// unchanged.
  func retry()
  /// From the next batch on the inlet hands out nothing and is not ready; it is not finished either while events wait. The batch in hand is
  /// processed as usual. Any task may call.
  func hold()
  /// Ends `hold` and wakes the reader.
  func letGo()
  /// Calls `body` once: when the topic has been cut, and this inlet has handed out everything before the cut. To be called before the cut.
  func whenDone(_ body: @escaping @Sendable () -> Void)
  /// Goes on behind a cut at which it has paused. Only the reader may call, between two batches, or any task while no instance runs.
  func resume()
  /// Ends this inlet and begins one with other options at the same event. Events that wait here come first there, and events under
  /// suspicion after a throw stay so. `initial` has no effect here. Only the reader may call, between two batches, or any task while no
  /// instance runs.
  func reattach(options: SubscriptionOptions) -> any AnyInlet
  /// Follows the topic's watermark from now on. Only the reader may call this and the next five members.
  func follow()
  /// For an inlet that follows: everything received up to this time, in nanoseconds, was finished; `Int.max` at the end.
  var reached: Int { get }
  /// For an inlet that follows: the receipt of the next event; nil if none waits. Receipts that go back count as the largest before them.
  func nextReceipt() -> Int?
  /// For an inlet that follows: how many of the next events, at most `limit`, were received up to `bound`.
  func count(receivedUpTo bound: Int, limit: Int) -> Int
  /// For an inlet that follows: all events that wait have one receipt, and the producer waits for this reader to make room. So it cannot say
  /// what comes after them.
  var isCrowded: Bool { get }
  /// For an inlet that follows: it is ready when the watermark has reached `watermark`, or when an event waits that is heeded.
  func sleepUntil(watermark: Int, heeding events: HeededEvents)
  /// Measures how long the next event that is published takes to its reader. Any task may call; one that is under way goes on. `report` is
  /// called on the reader's thread, at most once; never if the reader is replaced, or leaves, meanwhile.
  func time(by clock: @escaping @Sendable () -> Int64, report: @escaping @Sendable (EdgeTiming) -> Void)
  /// Ends reading for good, so that the producer no longer waits for this reader. Only the reader may call, between two batches, or any
  /// task while no instance runs. A second call has no effect.
  func detach()
  var counts: EdgeCounts { get }
}

/// What became of the events of one edge: `published` is always the sum of all the others.
public struct EdgeCounts: Hashable, Sendable {
  /// Events that the topic has published since the inlet was attached, and the snapshot before them.
  public var published = 0
  public var delivered = 0
  public var filtered = 0
  public var dropped = 0
  public var conflated = 0
  public var deadLettered = 0
  /// Events that wait, or are in the reader's current batch.
  public var inFlight = 0

  package init() {}

  /// These counts without the events in flight. Used for an edge that ends when another one takes over those events.
  package var settled: EdgeCounts {
    var counts = self
    counts.published -= inFlight
    counts.inFlight = 0
    return counts
  }

  /// The number of events that are unaccounted for. Any number but 0 is a bug of this program.
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
