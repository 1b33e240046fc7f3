internal import MarketData

/// Parses rows of one layout into events.
struct RowParser<E: ReplayEvent>: ~Copyable {
  private var rows: RowReader
  private var events = 0
  private var outside = 0
  /// The columns of the events that were appended since `takeColumns`, one row behind the other.
  private var columns: [Int64] = []
  private let from: Int64
  private let until: Int64
  private let hasUntil: Bool
  /// Gives bars of a day or more the date that begins in the zone; nil for other events, and without a zone.
  private var dates: BarDates?

  /// A parser for the rows of one file. The options have been validated.
  init(_ input: ReplayInput, _ options: ReplayOptions, isJSON: Bool) throws(ReplayError) {
    let zone = E.self == Bar.self ? try options.zoneRules() : nil
    rows = try RowReader(input, options, fields: E.fields, isJSON: isJSON)
    from = options.from?.ns ?? .min
    until = options.until?.ns ?? .max
    hasUntil = options.until != nil
    dates = zone.map { BarDates($0, all: options.time.areDates) }
  }

  var counts: ReplayCounts { ReplayCounts(events: events, outside: outside, malformed: rows.malformed, kept: rows.kept) }
  /// How often a row has changed how later rows are read.
  var changes: Int { rows.changes }
  /// The header that has replaced the first one, with its line end; empty if none has.
  var laterHeader: [UInt8] { rows.laterHeader }
  /// True after a number with a decimal comma.
  var hasCommas: Bool { rows.hasCommas }
  /// The first malformed row.
  var firstMalformed: MalformedRow? { rows.firstMalformed }
  /// Sizes that were missing in all rows, as indices of the event's fields.
  var missingSizes: [Int] { rows.missingSizes }
  /// True after a header was read.
  var hasHeader: Bool { rows.hasHeader }
  /// The time of the last row with a time.
  var last: Timestamp? { rows.last }

  /// Reads as after a number with a decimal comma.
  mutating func doubtPoints() { rows.doubtPoints() }

  /// Moves the columns of the events that were appended since the last call to the end of `all`.
  mutating func takeColumns(to all: inout [Int64]) {
    if columns.isEmpty { return }
    all += columns
    columns.removeAll(keepingCapacity: true)
  }

  /// Continues after the reader was given other lines.
  mutating func resume() { rows.resume() }

  /// Appends as many of the next events as there is room for, and returns their number; 0 only at the end, or without room.
  ///
  /// Calls `noted` for malformed rows, in the lines' order, with the number of events before them; if it returns `stop`, the row is thrown
  /// as an error. After an error the parser is at its end.
  mutating func next(
    _ lines: inout LineReader, into batch: inout OutputSpan<E>, noted: (RowNote, Int) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    let before = batch.count
    defer { events += batch.count - before }
    do throws(ReplayError) {
      // A loop of its own, so that the other one is as short as it can be.
      if !rows.values.columns.isEmpty {
        try nextWithColumns(&lines, into: &batch, noted)
        return batch.count - before
      }
      while !batch.isFull, !rows.isAtEnd {
        if rows.quick(&lines) {
          take(E(rows.values.row), into: &batch)
        } else {
          // Events that have been read must not wait for a pipe.
          lines.waits = batch.count == before
          let count = batch.count
          switch try rows.slow(&lines, { noted($0, count) }) {
          case .row: take(E(rows.values.row), into: &batch)
          case .none: break
          case .later: return batch.count - before
          }
        }
      }
    } catch {
      rows.end()
      throw error
    }
    return batch.count - before
  }

  /// The same for rows with columns.
  @inline(never)
  private mutating func nextWithColumns(
    _ lines: inout LineReader, into batch: inout OutputSpan<E>, _ noted: (RowNote, Int) -> MalformedPolicy
  ) throws(ReplayError) {
    let before = batch.count
    while !batch.isFull, !rows.isAtEnd {
      let count = batch.count
      if !rows.quick(&lines) {
        lines.waits = count == before
        switch try rows.slow(&lines, { noted($0, count) }) {
        case .row: break
        case .none: continue
        case .later: return
        }
      }
      take(E(rows.values.row), into: &batch)
      if batch.count > count { columns += rows.values.columns }
    }
  }

  /// Appends at most `limit` events to a batch, as `next` does.
  mutating func append(
    to batch: inout [E], limit: Int, _ lines: inout LineReader, noted: (RowNote, Int) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    var failure: ReplayError?
    let before = batch.count
    batch.append(addingCapacity: limit) { events in
      do throws(ReplayError) { _ = try next(&lines, into: &events, noted: noted) } catch { failure = error }
    }
    if let failure { throw failure }
    return batch.count - before
  }

  @inline(always)
  private mutating func take(_ event: E, into batch: inout OutputSpan<E>) {
    let time = event.time.ns
    if time < from || (time >= until && hasUntil) {
      outside &+= 1
    } else if E.self == Bar.self, dates != nil {
      batch.append(dated(event))
    } else {
      batch.append(event)
    }
  }

  @inline(never)
  private mutating func dated(_ event: E) -> E {
    guard let bar = event as? Bar, let dated = dates?.dated(bar) as? E else { return event }
    return dated
  }
}
