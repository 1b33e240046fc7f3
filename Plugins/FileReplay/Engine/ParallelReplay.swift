internal import EventBus
internal import MarketData

/// Replays one large file with several parsers at once; the events are in the file's order.
///
/// Blocks of whole lines go to the parsers in turn; `run` returns the results in the order of the blocks. A part that cannot be cut into
/// blocks is parsed by `run` itself.
struct ParallelReplay<E: ReplayEvent>: ~Copyable {
  /// For smaller files one parser is used.
  static var leastSize: Int { 4 << 20 }

  var counts: ReplayCounts { tally.counts }
  /// The results for the file so far.
  private(set) var tally: FileTally
  /// The number of blocks that were read.
  var blockCount: Int { line.blockCount }
  private let input: ReplayInput
  private let options: ReplayOptions
  private let isJSON: Bool
  private let parserCount: Int
  private let helpers: (any TaskExecutor)?
  private let line: BlockLine<E>
  private var header: [UInt8]?
  /// True after a row that has changed how later rows are read. The parsers do not know of this row, so their results are not used then.
  private var isChanged = false
  private var laterHeader: [UInt8] = []
  private var hasCommas = false

  /// True for a large plain file.
  static func isWorthIt(_ input: ReplayInput) -> Bool { input.contents.knownSize.map { $0 >= leastSize } ?? false }

  /// - Parameter helpers: where the parsers run.
  init(_ input: ReplayInput, _ options: ReplayOptions, parsers: Int, on helpers: (any TaskExecutor)? = nil) throws(ReplayError) {
    try options.validate(E.fields, inputs: [input])
    var beginning = try LineReader(
      input.contents, name: input.name, blockSize: options.blockSize, limit: options.lineLimit, encoding: options.encoding)
    let isJSON = options.isJSON(&beginning)
    let blocks = try BlockReader(
      input.contents, name: input.name, blockSize: options.blockSize, hasQuotes: !isJSON, encoding: options.encoding)
    self.input = input
    self.options = options
    self.isJSON = isJSON
    tally = FileTally(name: input.name, isCapture: false, bytes: input.contents.knownSize ?? 0)
    tally.missingSizes = Array(E.fields.indices.filter { E.fields[$0].kind == .quantity })
    parserCount = max(1, parsers)
    self.helpers = helpers
    // For each parser one block that it parses and one that waits, and one that is being consumed.
    line = BlockLine(blocks, depth: 2 * max(1, parsers) + 1)
  }

  /// Passes all events to `take`, in batches of at most `limit`, with their columns and the number of bytes of the file read so far. Calls `noted` for
  /// malformed rows as they are found; if it returns `stop`, the row is thrown as an error, after the events before it. Errors of `take`
  /// are rethrown. Calls `counted` for each block with its other counts.
  mutating func run(
    limit: Int, counted: (ReplayCounts) -> Void = { _ in }, into take: (Span<E>, Span<Int64>, Int) async throws -> Void,
    noted: (RowNote) -> MalformedPolicy
  ) async throws {
    let lines = try await parseBlocks(limit, counted, take, noted)
    let read = line.bytesRead
    let rest = line.takeRest(after: lines, limit: options.lineLimit)
    _ = try await parseInPlace(rest, limit, counted, { try await take($0, $1, max(read, $2)) }, noted)
  }

  /// Returns the number of lines.
  private mutating func parseBlocks(
    _ limit: Int, _ counted: (ReplayCounts) -> Void, _ take: (Span<E>, Span<Int64>, Int) async throws -> Void,
    _ noted: (RowNote) -> MalformedPolicy
  ) async throws -> Int {
    guard let first = line.begin() else { return 0 }
    header = isJSON || !options.csv.hasBeginning ? nil : first.header(options.csv)
    if header == nil, !isJSON, options.csv.hasBeginning {
      let message = "the header is not among the first \(options.blockSize >> 10) KiB"
      throw ReplayError(code: .badColumns, file: input.name, place: nil, message: message)
    }
    var parsers: [BlockParser<E>] = []
    do throws(ReplayError) {
      for _ in 0..<parserCount { parsers.append(try BlockParser(input, options, isJSON: isJSON, header: header ?? [])) }
    } catch { throw first.withBytes { error.explained(by: $0, as: E.fields) } }
    // This is not a task group, because its body would not run on this actor, and every batch would cause two thread switches.
    let tasks = parsers.map { parser in Task(executorPreference: helpers) { [line] in await parser.run(line) } }
    let result = await handAll(limit, counted, take, noted)
    line.stop()
    for task in tasks { await task.value }
    return try result.get()
  }

  /// Returns the number of lines, or the error that ended it.
  private mutating func handAll(
    _ limit: Int, _ counted: (ReplayCounts) -> Void, _ take: (Span<E>, Span<Int64>, Int) async throws -> Void,
    _ noted: (RowNote) -> MalformedPolicy
  ) async -> Result<Int, any Error> {
    var lines = 0
    do {
      while let work = await line.next() {
        lines = try await hand(work, after: lines, limit, counted, take, noted)
        line.give(back: work)
      }
      return .success(lines)
    } catch { return .failure(error) }
  }

  /// Returns the number of lines up to the block's end.
  private mutating func hand(
    _ parsed: BlockWork<E>, after lines: Int, _ limit: Int, _ counted: (ReplayCounts) -> Void,
    _ take: (Span<E>, Span<Int64>, Int) async throws -> Void, _ noted: (RowNote) -> MalformedPolicy
  ) async throws -> Int {
    if let failure = parsed.failure { throw failure }
    if parsed.isCrowded || isChanged {
      let reader = try parsed.block.reader(name: input.name, after: lines, limit: options.lineLimit)
      return try await parseInPlace(
        reader, limit, counted, { events, columns, _ in try await take(events, columns, parsed.bytesRead) }, noted)
    }
    tally.counts += parsed.counts
    counted(parsed.counts)
    if let last = parsed.last { tally.last = last }
    tally.missingSizes.removeAll { !parsed.missingSizes.contains($0) }
    var at = 0
    for (note, before) in parsed.notes {
      try await hand(parsed, &at, before, limit, take)
      let note = note.moved(by: lines)
      if case .malformed(let row) = note {
        tally.counts.malformed += 1
        if tally.firstMalformed == nil { tally.firstMalformed = row }
      }
      if noted(note) == .stop, case .malformed(let row) = note { throw ReplayError(malformed: row) }
    }
    try await hand(parsed, &at, parsed.events.count, limit, take)
    return lines + parsed.lines
  }

  private mutating func hand(
    _ parsed: BlockWork<E>, _ at: inout Int, _ end: Int, _ limit: Int,
    _ take: (Span<E>, Span<Int64>, Int) async throws -> Void
  ) async throws {
    let (events, columns, width) = (parsed.events, parsed.columns, options.extraColumns.columns.count)
    while at < end {
      let count = min(limit, end - at)
      try await take(
        events.span.extracting(at..<(at + count)), columns.span.extracting(at * width..<(at + count) * width), parsed.bytesRead)
      tally.counts.events += count
      at += count
    }
  }

  /// Parses lines one after the other; returns their number up to the end.
  private mutating func parseInPlace(
    _ lines: consuming LineReader, _ limit: Int, _ counted: (ReplayCounts) -> Void,
    _ take: (Span<E>, Span<Int64>, Int) async throws -> Void, _ noted: (RowNote) -> MalformedPolicy
  ) async throws -> Int {
    var lines = lines
    // The first line of the file is the header itself.
    var rows = try RowParser<E>(input, options, isJSON: isJSON)
    if let header, lines.line > 0 { try rows.read(header: header + laterHeader, of: input, limit: options.lineLimit) }
    if hasCommas { rows.doubtPoints() }
    let changes = rows.changes
    var batch: [E] = []
    var columns: [Int64] = []
    var failure: ReplayError?
    while failure == nil {
      batch.removeAll(keepingCapacity: true)
      columns.removeAll(keepingCapacity: true)
      do throws(ReplayError) {
        if try rows.append(to: &batch, limit: limit, &lines, noted: { note, _ in noted(note) }) == 0 { break }
      } catch { failure = error.explained(by: lines.rest, as: E.fields) }
      rows.takeColumns(to: &columns)
      if !batch.isEmpty { try await take(batch.span, columns.span, lines.bytesRead) }
    }
    tally.counts += rows.counts
    counted(rows.counts)
    if rows.changes != changes {
      isChanged = true
      (laterHeader, hasCommas) = (rows.laterHeader, rows.hasCommas)
    }
    if let last = rows.last { tally.last = last }
    if tally.firstMalformed == nil { tally.firstMalformed = rows.firstMalformed }
    tally.missingSizes.removeAll { !rows.missingSizes.contains($0) }
    tally.hasHeader = (header != nil && options.csv.hasHeader) || rows.hasHeader
    if let failure { throw failure }
    return lines.linesRead
  }
}
