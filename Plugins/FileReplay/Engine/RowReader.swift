internal import EventBus
internal import MarketData
internal import StockbusDecoding

/// Reads rows of one layout into values; it knows only the fields of the event's type, so it is compiled once for all types.
struct RowReader: ~Copyable {
  /// The result of a step.
  enum Step {
    /// A row, whose values are in `values.row`.
    case row
    /// A line without values.
    case none
    /// Nothing, because the next row would have to be awaited.
    case later
  }

  /// The decoder, which has the values of the last row.
  private(set) var values: ValueDecoder
  /// The number of malformed rows.
  private(set) var malformed = 0
  /// The first malformed row.
  private(set) var firstMalformed: MalformedRow?
  private(set) var isAtEnd = false
  /// Values that did not fit into their events.
  private(set) var kept = KeptValues()
  /// How often a row has changed how later rows are read.
  private(set) var changes = 0
  private var reported: Set<RowRemark> = []

  private let name: String
  private let fields: [ReplayField]
  private let slots: Slots
  private var csv: CSVRows
  private var json: JSONRows
  private let isJSON: Bool
  private var reasons: RowReasons
  /// Sizes that were missing in all JSON rows. It is enough to check the first row of each shape, because the others of the shape have the
  /// same fields.
  private var unseenSizes: [Int]

  /// A reader for the rows of one file. The options have been validated.
  init(_ input: ReplayInput, _ options: ReplayOptions, fields: [ReplayField], isJSON: Bool) throws(ReplayError) {
    let fields = (fields + options.extraColumns.columns.map { ReplayField($0, isJSON: isJSON) }).map { $0.adapted(to: options) }
    let paths = isJSON ? try options.paths(fields) : []
    let zone = try options.zoneRules()
    name = input.name
    self.fields = fields
    self.isJSON = isJSON
    slots = Slots(count: fields.count)
    let symbol = input.symbol ?? options.symbol
    csv = CSVRows(format: options.csv, fields: fields, mapping: options.columns, hasSymbol: symbol != nil, file: input.name)
    json = JSONRows(fields, paths: paths, hasSymbol: symbol != nil, slots: slots)
    let times = TimeDecoder(
      form: options.time, zone: zone, date: input.date ?? options.date, finer: options.finer, now: options.now,
      earliest: options.earliest)
    values = ValueDecoder(fields, symbol: symbol, times: times, options)
    reasons = RowReasons(fields, mapping: options.columns, hasSymbol: symbol != nil, isJSON: isJSON)
    unseenSizes = fields.indices.filter { fields[$0].kind == .quantity }
  }

  /// Sizes that were missing in all rows, as indices of the event's fields.
  var missingSizes: [Int] {
    if isJSON { return unseenSizes }
    guard let columns = csv.columns else { return unseenSizes }
    return unseenSizes.filter { columns.places[$0] < 0 }
  }
  /// True after a header was read.
  var hasHeader: Bool { csv.format.hasHeader && csv.columns != nil }
  /// The time of the last row with a time.
  var last: Timestamp? { values.row.time.ns == 0 ? nil : values.row.time }

  /// Continues after the lines were replaced by others.
  mutating func resume() { isAtEnd = false }

  /// Stops reading, after an error.
  mutating func end() { isAtEnd = true }

  /// Reads a row of a known shape; returns false if the row has another shape, or is not in memory as a whole.
  @inline(always)
  mutating func quick(_ lines: inout LineReader) -> Bool {
    guard let start = lines.ahead else { return false }
    guard let newline = isJSON ? json.quick(start, into: &values) : csv.quick(start, into: &values) else { return false }
    return lines.take(upTo: newline)
  }

  /// Reads any row. Calls `noted` for a malformed one; if it returns `stop`, the row is thrown as an error. Also calls `noted` once with
  /// each remark, and ignores the result then.
  @inline(never)
  mutating func slow(_ lines: inout LineReader, _ noted: (RowNote) -> MalformedPolicy) throws(ReplayError) -> Step {
    switch isJSON ? try json.next(&lines, slots) : try csv.next(&lines, slots) {
    case .row:
      do throws(FieldProblem) { try values.read(slots) } catch {
        defer { values.remarks.removeAll() }
        if try isHeader(lines, noted) { return .none }
        reportRemarks(lines, noted)
        // The symbol is read first, so it is known when another field is malformed.
        let symbol = fields[error.field].kind == .symbol ? nil : values.row.symbol
        try reject(reason(error, lines), lines, symbol, noted)
        return .none
      }
      if !values.remarks.isEmpty {
        reportRemarks(lines, noted)
        values.remarks.removeAll()
      }
      if isJSON, !unseenSizes.isEmpty { unseenSizes.removeAll { slots[$0].kind != .absent } }
      return .row
    case .malformed:
      if try isHeader(lines, noted) { return .none }
      try reject(isJSON ? json.reason + reasons.spread(lines.bytes) : csv.reason, lines, nil, noted)
    case .blank: break
    case .end: isAtEnd = true
    case .later: return .later
    }
    return .none
  }

  /// True for another header, as in concatenated files; the rows after it are read by it. Throws if it lacks a column.
  @inline(never)
  private mutating func isHeader(_ lines: borrowing LineReader, _ noted: (RowNote) -> MalformedPolicy) throws(ReplayError) -> Bool {
    if isJSON { return false }
    switch try csv.header(lines, slots) {
    case .none: return false
    case .same: report(.sameHeader, "the header is repeated here; it is not a row", lines, noted)
    case .other:
      changes += 1
      report(.otherHeader, "this is another header; it applies to the rows after it", lines, noted)
    }
    return true
  }

  private mutating func reportRemarks(_ lines: borrowing LineReader, _ noted: (RowNote) -> MalformedPolicy) {
    for remark in values.remarks {
      var kind = remark.kind
      switch kind {
      case .cut: kept.cut += 1
      case .unfit: kept.unfit += 1
      case .rounded: kept.rounded += 1
      case .decimalComma: doubtPoints()
      case .guessedTime(let text): kind = .guessedTime("'\(fields[remark.field].name)' \(text)")
      case .sameHeader, .otherHeader, .message: break
      }
      report(kind, "'\(fields[remark.field].name)' \(remark.text)", lines, noted)
    }
  }

  private mutating func report(
    _ remark: RowRemark, _ text: String, _ lines: borrowing LineReader, _ noted: (RowNote) -> MalformedPolicy
  ) {
    if !reported.insert(remark).inserted { return }
    _ = noted(.remark(NotedRemark(kind: remark, file: name, line: lines.line, text: text)))
  }

  /// After a number with a decimal comma: numbers such as 1.000 are refused, because their points may stand between thousands.
  mutating func doubtPoints() {
    changes += 1
    values.hasCommas = true
    csv.readNumbersSlowly()
  }

  /// True after a number with a decimal comma.
  var hasCommas: Bool { values.hasCommas }
  /// The header that has replaced the first one, with its line end; empty if none has.
  var laterHeader: [UInt8] { csv.laterHeader }

  /// Reads until the columns are known; throws their fault.
  mutating func readColumns(_ lines: inout LineReader) throws(ReplayError) {
    while !isJSON, csv.columns == nil {
      switch try csv.next(&lines, slots) {
      case .row, .blank, .malformed: break
      case .end: return
      case .later:
        // This is an error even if the first line is not complete yet.
        if csv.format.hasHeader || lines.line == 0, FileLook.hasBareReturn(lines.rest) {
          throw ReplayError(code: .badColumns, file: name, place: .line(lines.line + 1), message: FileLook.bareReturns)
        }
        return
      }
    }
  }

  /// Reads rows until one is an event and ten have been looked at; returns how many are events.
  mutating func firstEvents(_ lines: inout LineReader) throws(ReplayError) -> Int {
    var events = 0
    while !isAtEnd, events == 0 || events + malformed < 10 {
      switch try slow(&lines, { _ in .skip }) {
      case .row: events += 1
      case .none: break
      case .later: return events
      }
    }
    return events
  }

  @inline(never)
  private mutating func reject(
    _ reason: String, _ lines: borrowing LineReader, _ symbol: Symbol?, _ noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) {
    malformed += 1
    let row = MalformedRow(lines, file: name, reason: reason, symbol: symbol)
    if firstMalformed == nil { firstMalformed = row }
    if noted(.malformed(row)) == .stop { throw ReplayError(malformed: row) }
  }

  private mutating func reason(_ problem: FieldProblem, _ lines: borrowing LineReader) -> String {
    let keys = isJSON && problem.reason == .missing ? json.keys(of: lines.bytes) : []
    return reasons.text(of: problem, slots, keys: keys, in: lines.bytes, isTimeText: values.times.isForText)
  }
}
