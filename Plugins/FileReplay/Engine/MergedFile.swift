internal import MarketData
internal import StockbusDecoding

/// One file of a replay with the few events read ahead of the merge.
///
/// A class because an array cannot hold cursors, which own memory, themselves.
final class MergedFile<E: ReplayEvent> {
  /// Events read ahead of a merge.
  private static var batchLength: Int { 512 }
  /// Events handed out at a time where nothing is merged: few enough to stay in the first cache until they are copied.
  private static var passLength: Int { 64 }

  /// The time of the next event, ns.
  private(set) var head: Int64 = 0

  private var cursor: FileCursor<E>
  private var batch: [E] = []
  private var next = 0
  private var failure: ReplayError?

  /// Whether events are ordered by when they were received, as those of raw captures are.
  private let byReceipt: Bool

  init(_ cursor: consuming FileCursor<E>) {
    byReceipt = cursor.isCapture
    self.cursor = cursor
  }

  @inline(always)
  private func moment(_ event: E) -> Int64 { byReceipt ? event.received.ns : event.time.ns }

  /// The breaks in sequence numbers since the last call.
  func takeGaps() -> [SequenceGap] { cursor.takeGaps() }
  /// Unknown messages by shape.
  var shapes: [(shape: String, count: Int)] { cursor.shapes }

  /// What became of the rows whose events have been handed out, and of those around them.
  var counts: ReplayCounts {
    var counts = cursor.counts
    counts.events -= batch.count - next
    return counts
  }

  /// What became of the file; to be asked at its end.
  var tally: FileTally { cursor.tally }

  /// Bytes of the file read so far and in all, where that is known, as it lies on the disk.
  var progress: (read: Int, size: Int?) { (cursor.bytesRead, cursor.size) }

  /// True where what comes behind the events read ahead may have to be waited for.
  var mustWait: Bool { cursor.mustWait }
  /// True for pipes and the like, whose bytes come when they come.
  var isLive: Bool { cursor.isLive }

  /// Hands out the next events without a look at their times; `count` rises by as many.
  func pass(
    _ limit: Int, _ count: inout Int, _ body: (Span<E>) -> Void, _ malformed: (MalformedRow) -> MalformedPolicy
  ) throws(ReplayError) {
    let end = count + limit
    while count < end {
      let failure = read(min(end - count, Self.passLength), malformed)
      next = batch.count
      if !batch.isEmpty { body(batch.span) }
      count += batch.count
      if let failure { throw failure }
      if batch.isEmpty || cursor.mustWait { return }
    }
  }

  /// Reads ahead where nothing is left; false at the end. An error waits until the events before it have been handed out.
  func refill(_ malformed: (MalformedRow) -> MalformedPolicy) throws(ReplayError) -> Bool {
    batch.removeAll(keepingCapacity: true)
    next = 0
    if failure == nil { failure = read(Self.batchLength, malformed) }
    if batch.isEmpty {
      defer { failure = nil }
      if let failure { throw failure }
      return false
    }
    head = moment(batch[0])
    return true
  }

  /// Reads the next run, and the error behind it.
  private func read(_ limit: Int, _ malformed: (MalformedRow) -> MalformedPolicy) -> ReplayError? {
    batch.removeAll(keepingCapacity: true)
    next = 0
    var failure: ReplayError?
    batch.append(addingCapacity: limit) { events in
      do throws(ReplayError) { _ = try cursor.next(into: &events, malformed: malformed) } catch { failure = error }
    }
    return failure
  }

  /// Hands out events before the time `bound` (and at it, where `wins`) until `count` reaches `end`; true when none is left.
  func emit(upTo end: Int, _ count: inout Int, before bound: Int64, orAt wins: Bool, _ body: (Span<E>) -> Void) -> Bool {
    var at = next
    let stop = min(batch.count, at + (end - count))
    while at < stop, moment(batch[at]) < bound || (wins && moment(batch[at]) == bound) {
      at += 1
    }
    if at > next { body(batch.span.extracting(next..<at)) }
    count += at - next
    next = at
    if at == batch.count { return true }
    head = moment(batch[at])
    return false
  }
}
