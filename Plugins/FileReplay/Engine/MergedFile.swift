internal import EventBus
internal import MarketData
internal import StockbusDecoding

/// One file of a replay, with the few events that are read ahead for the merge.
///
/// A class because an array cannot contain cursors, which are not copyable.
final class MergedFile<E: ReplayEvent> {
  /// The number of events read ahead for a merge.
  private static var batchLength: Int { 512 }
  /// The size of a batch if nothing is merged: few enough to stay in the first-level cache until they are copied.
  private static var passLength: Int { 64 }

  /// The time of the next event, ns.
  private(set) var head: Int64 = 0

  private var cursor: FileCursor<E>
  private var batch: [E] = []
  /// The columns of the batch, one row behind the other.
  private var columns: [Int64] = []
  private let width: Int
  private var next = 0
  private var failure: ReplayError?

  /// True if events are ordered by time of receipt, as in raw captures.
  private let byReceipt: Bool

  /// - Parameter width: how many columns there are.
  init(_ cursor: consuming FileCursor<E>, width: Int) {
    byReceipt = cursor.isCapture
    self.width = width
    self.cursor = cursor
  }

  @inline(always)
  private func moment(_ event: E) -> Int64 { byReceipt ? event.received.ns : event.time.ns }

  /// The breaks in sequence numbers since the last call.
  func takeGaps() -> [SequenceGap] { cursor.takeGaps() }
  /// Unknown messages by shape.
  var shapes: [(shape: String, count: Int)] { cursor.shapes }
  var messages: MessageTally? { cursor.messages }
  var numbers: VenueNumbers { cursor.numbers }

  /// The counts of the rows up to the last returned event.
  var counts: ReplayCounts {
    var counts = cursor.counts
    counts.events -= batch.count - next
    return counts
  }

  /// The results for the file; read at its end.
  var tally: FileTally { cursor.tally }

  /// Bytes of the file read so far, and its size if known, before decompression.
  var progress: (read: Int, size: Int?) { (cursor.bytesRead, cursor.size) }

  /// True if the events after those read ahead may have to be awaited.
  var mustWait: Bool { cursor.mustWait }
  /// True for pipes and similar files, where reading may have to wait for the writer.
  var isLive: Bool { cursor.isLive }

  /// Passes the next events to `body` without comparing times, and adds their number to `count`.
  func pass(
    _ limit: Int, _ count: inout Int, _ body: (Span<E>, Span<Int64>) -> Void, _ noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) {
    let end = count + limit
    while count < end {
      let failure = read(min(end - count, Self.passLength), noted)
      next = batch.count
      if !batch.isEmpty { body(batch.span, columns.span) }
      count += batch.count
      if let failure { throw failure }
      if batch.isEmpty || cursor.mustWait { return }
    }
  }

  /// Reads ahead if nothing is left; returns false at the end. An error is thrown after the events before it have been returned.
  func refill(_ noted: (RowNote) -> MalformedPolicy) throws(ReplayError) -> Bool {
    batch.removeAll(keepingCapacity: true)
    next = 0
    if failure == nil { failure = read(Self.batchLength, noted) }
    if batch.isEmpty {
      defer { failure = nil }
      if let failure { throw failure }
      return false
    }
    head = moment(batch[0])
    return true
  }

  /// Reads the next batch, and returns the error after it.
  private func read(_ limit: Int, _ noted: (RowNote) -> MalformedPolicy) -> ReplayError? {
    batch.removeAll(keepingCapacity: true)
    next = 0
    var failure: ReplayError?
    batch.append(addingCapacity: limit) { events in
      do throws(ReplayError) { _ = try cursor.next(into: &events, noted: noted) } catch { failure = error }
    }
    if width > 0 {
      columns.removeAll(keepingCapacity: true)
      cursor.takeColumns(to: &columns)
      // The bars of a history have none.
      columns.append(contentsOf: repeatElement(ColumnLayout.missing, count: batch.count * width - columns.count))
    }
    return failure
  }

  /// Passes the events before the time `bound` (and at it, if `wins`) to `body` until `count` reaches `end`; returns true when none is
  /// left.
  func emit(
    upTo end: Int, _ count: inout Int, before bound: Int64, orAt wins: Bool, _ body: (Span<E>, Span<Int64>) -> Void
  ) -> Bool {
    var at = next
    let stop = min(batch.count, at + (end - count))
    while at < stop, moment(batch[at]) < bound || (wins && moment(batch[at]) == bound) {
      at += 1
    }
    if at > next { body(batch.span.extracting(next..<at), columns.span.extracting(next * width..<at * width)) }
    count += at - next
    next = at
    if at == batch.count { return true }
    head = moment(batch[at])
    return false
  }
}
