internal import StockbusPlugin

/// One block of a file, and the result of parsing it; its memory is reused for other blocks.
///
/// Unchecked because it has one owner at a time: a `BlockLine` passes it to a parser and back.
final class BlockWork<E: ReplayEvent>: @unchecked Sendable {
  var block = LineBlock()
  /// The block's number, counted from 0.
  var number = 0
  /// Bytes of the file up to the end of the block, before decompression.
  var bytesRead = 0
  fileprivate(set) var events: [E] = []
  /// The columns of the events, one row behind the other.
  fileprivate(set) var columns: [Int64] = []
  /// Malformed rows and remarks.
  fileprivate(set) var notes: [(note: RowNote, eventsBefore: Int)] = []
  /// The counts of its rows that give no events, and of values that did not fit.
  fileprivate(set) var counts = ReplayCounts()
  /// The time of the last row with a time, in this block or one before.
  fileprivate(set) var last: Timestamp?
  /// Sizes that were missing in all rows that this block's parser has read.
  fileprivate(set) var missingSizes: [Int] = []
  /// The number of lines in the block; line numbers of malformed rows are counted from its first line.
  fileprivate(set) var lines = 0
  /// True if the block has more malformed rows than are stored, or a row that changes how later rows are read; the block must be read
  /// again, row by row.
  fileprivate(set) var isCrowded = false
  /// The file's header is wrong.
  fileprivate(set) var failure: ReplayError?

  fileprivate func clear() {
    events.removeAll(keepingCapacity: true)
    columns.removeAll(keepingCapacity: true)
    notes.removeAll()
    (counts, lines, isCrowded, failure) = (ReplayCounts(), 0, false, nil)
  }
}

/// Parses blocks of a file, in parallel with other parsers.
///
/// It reads on a shared thread. Reading a block of a plain file takes some microseconds if the system has it in memory; a slow disk blocks
/// one parser's worker, and other workers take over its waiting jobs.
actor BlockParser<E: ReplayEvent> {
  /// The largest number of malformed rows and remarks that are stored for a block.
  private static var noteLimit: Int { 256 }

  private let lineLimit: Int
  private let header: [UInt8]
  private var rows: RowParser<E>

  /// - Parameter header: the file's first lines up to the header; empty if it has none.
  init(_ input: ReplayInput, _ options: ReplayOptions, isJSON: Bool, header: [UInt8]) throws(ReplayError) {
    self.header = header
    lineLimit = options.lineLimit
    var rows = try RowParser<E>(input, options, isJSON: isJSON)
    if !header.isEmpty { try rows.read(header: header, of: input, limit: options.lineLimit) }
    self.rows = rows
  }

  /// Parses blocks until there are no more.
  func run(_ line: BlockLine<E>) async {
    while let work = await line.take() {
      parse(work)
      // If the consumer waits for this block, it runs next on this core, which has the events in its cache.
      if line.put(work) { await Task.yield() }
    }
  }

  private func parse(_ work: BlockWork<E>) {
    work.clear()
    // In the first block the header has been read already. The others count one line as read before them, because only the file's first
    // line may begin with a byte-order mark.
    let isFirst = work.number == 0
    let before = isFirst ? header.count { $0 == 10 } : 1
    let base = isFirst ? 0 : 1
    work.block.withLines(from: isFirst ? header.count : 0, after: before, limit: lineLimit) { reader in
      let (counts, changes) = (rows.counts, rows.changes)
      rows.resume()
      do throws(ReplayError) {
        var done = 0
        repeat {
          done = work.events.count
          _ = try rows.append(to: &work.events, limit: 4096, &reader) { note, before in
            if work.notes.count == Self.noteLimit { return .stop }
            work.notes.append((note.moved(by: -base), done + before))
            return .skip
          }
        } while work.events.count > done
      } catch {
        // The header has been read, so a fault of columns is about another header in mid-file.
        if error.code == .malformedRow || error.code == .badColumns { work.isCrowded = true } else { work.failure = error }
      }
      rows.takeColumns(to: &work.columns)
      if rows.changes != changes { work.isCrowded = true }
      let more = rows.counts - counts
      (work.counts.outside, work.counts.kept) = (more.outside, more.kept)
      work.last = rows.last
      work.missingSizes = rows.missingSizes
      work.lines = reader.linesRead - base
    }
  }
}

extension RowParser {
  /// Reads the header of the file, which names the columns of the rows after it.
  mutating func read(header: [UInt8], of input: ReplayInput, limit: Int) throws(ReplayError) {
    var reader = try LineReader(.bytes(header), name: input.name, blockSize: max(1, header.count), limit: limit)
    var none: [E] = []
    _ = try append(to: &none, limit: 1, &reader) { _, _ in .skip }
    resume()
  }
}
