internal import MarketData
internal import StockbusDecoding

/// The events of one file, in the file's order.
struct FileCursor<E: ReplayEvent>: ~Copyable {
  private let name: String
  private var reader: LineReader
  private var rows: RowParser<E>
  /// Decodes the messages of raw captures.
  private var capture: Capture<E>
  /// The bars of a history file.
  private var archive: ArchivedBars?

  /// Opens the file, and reads its beginning if the format is not given. The options have been validated.
  init(_ input: ReplayInput, _ options: ReplayOptions) throws(ReplayError) {
    var reader = try LineReader(
      input.contents, name: input.name, blockSize: options.blockSize, limit: options.lineLimit, encoding: options.encoding)
    let rows = try RowParser<E>(input, options, isJSON: options.isJSON(&reader))
    if case .archive(let open) = input.contents { archive = try ArchivedBars(of: E.self, open, name: input.name, options) }
    let capture = options.format == .raw ? try Capture<E>(input, options) : Capture<E>()
    name = input.name
    self.reader = reader
    self.rows = rows
    self.capture = capture
  }

  var isCapture: Bool { capture.isOpen }
  var counts: ReplayCounts {
    if capture.isOpen { return capture.counts }
    return archive?.counts ?? rows.counts
  }
  /// Bytes of the file read so far, before decompression.
  var bytesRead: Int { reader.bytesRead }
  /// The size of the file in bytes, before decompression; nil if it is not a plain file.
  var size: Int? { archive == nil ? reader.size : nil }
  /// True for pipes and similar files, where reading may have to wait for the writer.
  var isLive: Bool { reader.isLive }
  /// True if the next event may have to be awaited, because a pipe has not sent it yet.
  var mustWait: Bool {
    mutating get { reader.isLive && !capture.hasEvents && reader.mustWait }
  }
  /// The results for the file so far.
  var tally: FileTally {
    var tally = FileTally(name: name, isCapture: capture.isOpen, bytes: reader.bytesRead, hasHeader: rows.hasHeader, counts: counts)
    tally.firstMalformed = capture.isOpen ? capture.firstMalformed : rows.firstMalformed
    tally.last = capture.isOpen ? capture.last : rows.last
    if archive != nil { tally.bytes = 1 } else if !capture.isOpen { tally.missingSizes = rows.missingSizes }
    return tally
  }
  /// Unknown messages of a raw capture by shape.
  var shapes: [(shape: String, count: Int)] { capture.shapes }
  var messages: MessageTally? { capture.messages }
  var numbers: VenueNumbers { capture.numbers }

  /// The breaks in sequence numbers that a raw capture has shown since the last call.
  mutating func takeGaps() -> [SequenceGap] { capture.takeGaps() }

  /// Moves the columns of the events since the last call to the end of `all`, one row behind the other.
  mutating func takeColumns(to all: inout [Int64]) { rows.takeColumns(to: &all) }

  /// Appends as many of the next events as there is room for, and returns their number; 0 only at the end, or without room.
  ///
  /// Calls `noted` for malformed rows, in the file's order; if it returns `stop`, the row is thrown as an error. After an error the cursor
  /// is at its end.
  mutating func next(
    into events: inout OutputSpan<E>, noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    if capture.isOpen { return try capture.next(&reader, into: &events, noted: noted) }
    if archive != nil { return try archive!.next(into: &events) }
    do throws(ReplayError) { return try rows.next(&reader, into: &events) { note, _ in noted(note) } } catch {
      throw error.explained(by: reader.rest, as: E.fields)
    }
  }
}
