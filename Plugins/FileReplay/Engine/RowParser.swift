internal import MarketData

/// What rows of one layout become, wherever their lines come from.
struct RowParser<E: ReplayEvent>: ~Copyable {
  private(set) var counts: ReplayCounts

  private let name: String
  private let mapping: [String: String]
  private let slots: Slots
  private var csv: CSVRows
  private var json: JSONRows
  private let isJSON: Bool
  private var values: ValueDecoder
  private let from: Int64
  private let until: Int64
  private let hasUntil: Bool
  private(set) var isAtEnd: Bool

  /// For rows as one file has them. The options have been validated.
  init(_ input: ReplayInput, _ options: ReplayOptions, isJSON: Bool) throws(ReplayError) {
    let fields = E.fields
    let paths = isJSON ? try options.paths(fields) : []
    let zone = try options.zoneRules()
    self.isJSON = isJSON
    name = input.name
    mapping = options.columns
    slots = Slots(count: fields.count)
    let symbol = input.symbol ?? options.symbol
    csv = CSVRows(format: options.csv, fields: fields, mapping: options.columns, hasSymbol: symbol != nil, file: input.name)
    json = JSONRows(fields, paths: paths, hasSymbol: symbol != nil, slots: slots)
    let times = TimeDecoder(format: options.timeFormat, zone: zone, date: input.date ?? options.date, finer: options.finer)
    values = ValueDecoder(fields, symbol: symbol, times: times, scale: options.priceScale, intake: options.intake)
    from = options.from?.ns ?? .min
    until = options.until?.ns ?? .max
    hasUntil = options.until != nil
    isAtEnd = false
    counts = ReplayCounts()
  }

  /// The reader has been given other lines: goes on with them.
  mutating func resume() { isAtEnd = false }

  /// Appends the next events, as many as there is room for, and answers how many; 0 only at the end or where there is no room.
  ///
  /// Malformed rows go to `malformed` with the count of events before them, in the lines' order; where it answers `stop` they are
  /// thrown. After an error the parser is at its end.
  mutating func next(
    _ reader: inout LineReader, into events: inout OutputSpan<E>, malformed: (MalformedRow, Int) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    let before = events.count
    defer { counts.events += events.count - before }
    do throws(ReplayError) {
      while !events.isFull, !isAtEnd {
        if quick(&reader) {
          take(E(values.row), into: &events)
        } else {
          // What has been read is not kept waiting for what a pipe has not got yet.
          reader.waits = events.count == before
          if try !slow(&reader, into: &events, malformed) { break }
        }
      }
    } catch {
      isAtEnd = true
      throw error
    }
    return events.count - before
  }

  /// Appends events to a run, at most `limit`, as `next`.
  mutating func append(
    to run: inout [E], limit: Int, _ reader: inout LineReader, malformed: (MalformedRow, Int) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    var failure: ReplayError?
    let before = run.count
    run.append(addingCapacity: limit) { events in
      do throws(ReplayError) { _ = try next(&reader, into: &events, malformed: malformed) } catch { failure = error }
    }
    if let failure { throw failure }
    return run.count - before
  }

  /// Reads a row of a known shape.
  @inline(always)
  private mutating func quick(_ reader: inout LineReader) -> Bool {
    guard let start = reader.ahead else { return false }
    guard let newline = isJSON ? json.quick(start, into: &values) : csv.quick(start, into: &values) else { return false }
    return reader.take(upTo: newline)
  }

  /// Reads any row; false where it would have to be waited for.
  @inline(never)
  private mutating func slow(
    _ reader: inout LineReader, into events: inout OutputSpan<E>, _ malformed: (MalformedRow, Int) -> MalformedPolicy
  ) throws(ReplayError) -> Bool {
    switch isJSON ? try json.next(&reader, slots) : try csv.next(&reader, slots) {
    case .row:
      do throws(FieldProblem) {
        try values.read(slots)
        take(E(values.row), into: &events)
      } catch { try reject(reason(error, reader), reader, events.count, malformed) }
    case .blank: break
    case .malformed: try reject(isJSON ? json.reason : csv.reason, reader, events.count, malformed)
    case .end: isAtEnd = true
    case .later: return false
    }
    return true
  }

  @inline(always)
  private mutating func take(_ event: E, into events: inout OutputSpan<E>) {
    let time = event.time.ns
    if time < from || (time >= until && hasUntil) { counts.outside &+= 1 } else { events.append(event) }
  }

  @inline(never)
  private mutating func reject(
    _ reason: String, _ reader: borrowing LineReader, _ before: Int, _ malformed: (MalformedRow, Int) -> MalformedPolicy
  ) throws(ReplayError) {
    counts.malformed += 1
    let row = MalformedRow(reader, file: name, reason: reason)
    if malformed(row, before) == .stop { throw ReplayError(malformed: row) }
  }

  private mutating func reason(_ problem: FieldProblem, _ reader: borrowing LineReader) -> String {
    let field = "'\(E.fields[problem.field].name)'"
    let bytes = slots[problem.field].trimmed
    let shown = String(decoding: bytes.prefix(60), as: UTF8.self)
    let text = "'\(shown)\(bytes.count > 60 ? "…" : "")'"
    switch problem.reason {
    case .missing:
      if !isJSON { return "\(field) is empty" }
      let keys = json.keys(of: reader.bytes)
      let listed = keys.prefix(20).map { "'\($0.prefix(60))'" }.joined(separator: ", ") + (keys.count > 20 ? ", …" : "")
      let path = mapping[E.fields[problem.field].name].map { ": there is nothing at '\($0.prefix(60))'" } ?? ""
      return "\(field) is missing\(path)" + (keys.isEmpty ? "" : "; the object has \(listed)")
        + FileLook.otherEvent(than: E.fields, in: keys)
    case .notANumber: return "\(field) is not a number: \(text)"
    case .tooManyDecimals: return "\(field) has more than nine decimals: \(text)"
    case .notExact: return "\(field) divided by the price scale is out of range or has more than nine decimals: \(text)"
    case .outOfRange: return "\(field) is out of range: \(text)"
    case .negative: return "\(field) is negative: \(text)"
    case .notASide: return "\(field) is neither buy nor sell: \(text)"
    case .notAValue: return "\(field) is an object or a list, not a value"
    case .symbol(let why): return "\(field): \(why): \(text)"
    case .time(let why): return "\(field) \(why): \(text)"
    }
  }
}
