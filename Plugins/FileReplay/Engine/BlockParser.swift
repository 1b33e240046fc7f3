internal import MarketData
internal import StockbusPlugin

/// One block of a file, and what it became; its memory is used again for other blocks.
///
/// Unchecked because it is handed on and not shared: from whoever reads the file to a parser and back, through
/// a `BlockLine`.
final class BlockWork<E: ReplayEvent>: @unchecked Sendable {
  var block = LineBlock()
  /// Which block it is, counted from 0.
  var number = 0
  /// Bytes of the file up to its end, as it lies on the disk.
  var bytesRead = 0
  fileprivate(set) var events: [E] = []
  fileprivate(set) var malformed: [(row: MalformedRow, eventsBefore: Int)] = []
  /// Well-formed rows before `from` or not before `until`.
  fileprivate(set) var outside = 0
  /// The time of the last row that had one, of this block or one before.
  fileprivate(set) var last: Timestamp?
  /// Sizes that no row has had which this block's parser has read.
  fileprivate(set) var missingSizes: [Int] = []
  /// Lines of the block; the places of malformed rows are counted from its first.
  fileprivate(set) var lines = 0
  /// True where it has more malformed rows than should be kept: it is to be read once more, row by row.
  fileprivate(set) var isCrowded = false
  /// The file's header is wrong.
  fileprivate(set) var failure: ReplayError?

  fileprivate func clear() {
    events.removeAll(keepingCapacity: true)
    malformed.removeAll()
    (outside, lines, isCrowded, failure) = (0, 0, false, nil)
  }
}

/// Parses blocks of a file beside others that parse its other blocks.
///
/// It reads on a shared thread, which a block of a plain file holds for some microseconds where the system has it in memory; a slow
/// disk holds one parser's worker, whose other jobs are taken over where there is another worker.
actor BlockParser<E: ReplayEvent> {
  /// More malformed rows of one block are not kept.
  private static var malformedLimit: Int { 256 }

  private let lineLimit: Int
  private let header: [UInt8]
  private var rows: RowParser<E>

  /// - Parameter header: the file's first lines up to the header; empty where it has none.
  init(_ input: ReplayInput, _ options: ReplayOptions, isJSON: Bool, header: [UInt8]) throws(ReplayError) {
    self.header = header
    lineLimit = options.lineLimit
    var rows = try RowParser<E>(input, options, isJSON: isJSON)
    if !header.isEmpty { try rows.read(header: header, of: input, limit: options.lineLimit) }
    self.rows = rows
  }

  /// Parses blocks as long as there are any.
  func run(_ line: BlockLine<E>) async {
    while let work = await line.take() {
      parse(work)
      // Whoever waits for this block goes first, on this core, which has its events at hand.
      if line.put(work) { await Task.yield() }
    }
  }

  private func parse(_ work: BlockWork<E>) {
    work.clear()
    // Of the first block the header has been read; in the others one line stands for all that went before, because only the file's
    // first may begin with a byte-order mark.
    let isFirst = work.number == 0
    let before = isFirst ? header.count { $0 == 10 } : 1
    let base = isFirst ? 0 : 1
    work.block.withLines(from: isFirst ? header.count : 0, after: before, limit: lineLimit) { reader in
      let outside = rows.counts.outside
      rows.resume()
      do throws(ReplayError) {
        var done = 0
        repeat {
          done = work.events.count
          _ = try rows.append(to: &work.events, limit: 4096, &reader) { row, before in
            if work.malformed.count == Self.malformedLimit { return .stop }
            var row = row
            row.line -= base
            work.malformed.append((row, done + before))
            return .skip
          }
        } while work.events.count > done
      } catch {
        if error.code == .malformedRow { work.isCrowded = true } else { work.failure = error }
      }
      work.outside = rows.counts.outside - outside
      work.last = rows.last
      work.missingSizes = rows.missingSizes
      work.lines = reader.linesRead - base
    }
  }
}

extension RowParser {
  /// Reads past a header of the file, which says what the rows behind it hold.
  mutating func read(header: [UInt8], of input: ReplayInput, limit: Int) throws(ReplayError) {
    var reader = try LineReader(.bytes(header), name: input.name, blockSize: max(1, header.count), limit: limit)
    var none: [E] = []
    _ = try append(to: &none, limit: 1, &reader) { _, _ in .skip }
    resume()
  }
}
