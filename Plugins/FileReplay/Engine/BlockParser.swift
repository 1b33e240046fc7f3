internal import MarketData

/// What one block of a file became.
struct ParsedBlock<E: ReplayEvent>: Sendable {
  /// Which block it was, and which parser's, both counted from 0.
  let number: Int
  let parser: Int
  let block: LineBlock
  fileprivate(set) var events: [E] = []
  fileprivate(set) var malformed: [(row: MalformedRow, eventsBefore: Int)] = []
  /// Well-formed rows before `from` or not before `until`.
  fileprivate(set) var outside = 0
  /// Lines of the block; the places of malformed rows are counted from its first.
  fileprivate(set) var lines = 0
  /// True where it has more malformed rows than should be kept: it is to be read once more, row by row.
  fileprivate(set) var isCrowded = false
  /// The file's header is wrong.
  fileprivate(set) var failure: ReplayError?
}

/// Parses blocks of a file beside others that parse its other blocks.
actor BlockParser<E: ReplayEvent> {
  /// More malformed rows of one block are not kept.
  private static var malformedLimit: Int { 256 }

  private let index: Int
  private let lineLimit: Int
  private let header: [UInt8]
  private var rows: RowParser<E>

  /// - Parameter header: the file's first lines up to the header; empty where it has none.
  init(_ index: Int, _ input: ReplayInput, _ options: ReplayOptions, isJSON: Bool, header: [UInt8]) throws(ReplayError) {
    self.index = index
    self.header = header
    lineLimit = options.lineLimit
    var rows = try RowParser<E>(input, options, isJSON: isJSON)
    if !header.isEmpty { try rows.read(header: header, of: input, limit: options.lineLimit) }
    self.rows = rows
  }

  func parse(_ block: LineBlock, number: Int) -> ParsedBlock<E> {
    var parsed = ParsedBlock<E>(number: number, parser: index, block: block)
    parsed.events.reserveCapacity(block.count / 48)
    // Of the first block the header has been read; in the others one line stands for all that went before, because only the file's
    // first may begin with a byte-order mark.
    let skipped = number == 0 ? header : []
    let before = number == 0 ? header.count { $0 == 10 } : 1
    let base = number == 0 ? 0 : 1
    block.withLines(from: skipped.count, after: before, limit: lineLimit) { reader in
      let outside = rows.counts.outside
      rows.resume()
      do throws(ReplayError) {
        _ = try rows.next(&reader, limit: .max) {
          parsed.events.append($0)
        } malformed: { row in
          if parsed.malformed.count == Self.malformedLimit { return .stop }
          var row = row
          row.line -= base
          parsed.malformed.append((row, parsed.events.count))
          return .skip
        }
      } catch {
        if error.code == .malformedRow { parsed.isCrowded = true } else { parsed.failure = error }
      }
      parsed.outside = rows.counts.outside - outside
      parsed.lines = reader.linesRead - base
    }
    return parsed
  }
}

extension RowParser {
  /// Reads past a header of the file, which says what the rows behind it hold.
  mutating func read(header: [UInt8], of input: ReplayInput, limit: Int) throws(ReplayError) {
    var reader = try LineReader(.bytes(header), name: input.name, blockSize: max(1, header.count), limit: limit)
    _ = try next(&reader, limit: .max, into: { _ in }, malformed: { _ in .skip })
    resume()
  }
}
