internal import MarketData

/// Parses rows of one layout into events.
struct RowParser<E: ReplayEvent>: ~Copyable {
  private(set) var counts: ReplayCounts

  /// The first malformed row.
  private(set) var firstMalformed: MalformedRow?
  /// Sizes that were missing in all JSON rows. It is enough to check the first row of each shape, because the others of the shape have the
  /// same fields.
  private var unseenSizes: [Int]

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
  private let hasSymbol: Bool
  /// The message for the last row with missing fields.
  private var lastMissing: (field: Int, unknown: [Int], keys: [String], text: String)?

  /// A parser for the rows of one file. The options have been validated.
  init(_ input: ReplayInput, _ options: ReplayOptions, isJSON: Bool) throws(ReplayError) {
    let fields = E.fields
    let paths = isJSON ? try options.paths(fields) : []
    let zone = try options.zoneRules()
    self.isJSON = isJSON
    name = input.name
    mapping = options.columns
    slots = Slots(count: fields.count)
    let symbol = input.symbol ?? options.symbol
    hasSymbol = symbol != nil
    csv = CSVRows(format: options.csv, fields: fields, mapping: options.columns, hasSymbol: symbol != nil, file: input.name)
    json = JSONRows(fields, paths: paths, hasSymbol: symbol != nil, slots: slots)
    let times = TimeDecoder(format: options.timeFormat, zone: zone, date: input.date ?? options.date, finer: options.finer)
    values = ValueDecoder(
      fields, symbol: symbol, times: times, scale: options.priceScale, intake: options.intake, length: options.length,
      conditions: options.conditions)
    from = options.from?.ns ?? .min
    until = options.until?.ns ?? .max
    hasUntil = options.until != nil
    isAtEnd = false
    counts = ReplayCounts()
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

  /// Continues after the reader was given other lines.
  mutating func resume() { isAtEnd = false }

  /// Appends as many of the next events as there is room for, and returns their number; 0 only at the end, or without room.
  ///
  /// `malformed` is called for malformed rows, in the lines' order, with the number of events before them; if it returns `stop`, the row is
  /// thrown as an error. After an error the parser is at its end.
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
          // Events that have been read must not wait for a pipe.
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

  /// Appends at most `limit` events to a batch, as `next` does.
  mutating func append(
    to batch: inout [E], limit: Int, _ reader: inout LineReader, malformed: (MalformedRow, Int) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    var failure: ReplayError?
    let before = batch.count
    batch.append(addingCapacity: limit) { events in
      do throws(ReplayError) { _ = try next(&reader, into: &events, malformed: malformed) } catch { failure = error }
    }
    if let failure { throw failure }
    return batch.count - before
  }

  /// Reads until the columns are known, without making events; throws what is wrong with them.
  mutating func readColumns(_ reader: inout LineReader) throws(ReplayError) {
    while !isJSON, csv.columns == nil {
      switch try csv.next(&reader, slots) {
      case .row, .blank, .malformed: break
      case .end: return
      case .later:
        // This is an error even if the first line is not complete yet.
        if csv.format.hasHeader || reader.line == 0, FileLook.hasBareReturn(reader.rest) {
          throw ReplayError(code: .badColumns, file: name, place: .line(reader.line + 1), message: FileLook.bareReturns)
        }
        return
      }
    }
  }

  /// Reads up to the first row that gives an event, without making it. Returns the number of rows if none of them does, otherwise nil.
  mutating func fruitlessRows(_ reader: inout LineReader) throws(ReplayError) -> Int? {
    while true {
      switch isJSON ? try json.next(&reader, slots) : try csv.next(&reader, slots) {
      case .row:
        do throws(FieldProblem) {
          try values.read(slots)
          return nil
        } catch { try reject(reason(error, reader), reader, 0) { _, _ in .skip } }
      case .malformed: try reject(isJSON ? json.reason + spread(reader) : csv.reason, reader, 0) { _, _ in .skip }
      case .blank: break
      case .end, .later: return counts.malformed
      }
    }
  }

  /// Reads a row of a known shape.
  @inline(always)
  private mutating func quick(_ reader: inout LineReader) -> Bool {
    guard let start = reader.ahead else { return false }
    guard let newline = isJSON ? json.quick(start, into: &values) : csv.quick(start, into: &values) else { return false }
    return reader.take(upTo: newline)
  }

  /// Reads any row; returns false if it would have to wait for it.
  @inline(never)
  private mutating func slow(
    _ reader: inout LineReader, into events: inout OutputSpan<E>, _ malformed: (MalformedRow, Int) -> MalformedPolicy
  ) throws(ReplayError) -> Bool {
    switch isJSON ? try json.next(&reader, slots) : try csv.next(&reader, slots) {
    case .row:
      do throws(FieldProblem) {
        try values.read(slots)
        if isJSON, !unseenSizes.isEmpty { unseenSizes.removeAll { slots[$0].kind != .absent } }
        take(E(values.row), into: &events)
      } catch {
        // The symbol is read first, so it is known when another field is malformed.
        let symbol = E.fields[error.field] == .symbol ? nil : values.row.symbol
        try reject(reason(error, reader), reader, events.count, malformed, symbol)
      }
    case .blank: break
    case .malformed: try reject(isJSON ? json.reason + spread(reader) : csv.reason, reader, events.count, malformed)
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
    _ reason: String, _ reader: borrowing LineReader, _ before: Int, _ malformed: (MalformedRow, Int) -> MalformedPolicy,
    _ symbol: Symbol? = nil
  ) throws(ReplayError) {
    counts.malformed += 1
    let row = MalformedRow(reader, file: name, reason: reason, symbol: symbol)
    if firstMalformed == nil { firstMalformed = row }
    if malformed(row, before) == .stop { throw ReplayError(malformed: row) }
  }

  /// No hint if the configuration has paths, because these may begin at an array.
  private func spread(_ reader: borrowing LineReader) -> String { mapping.isEmpty ? FileLook.spread(reader.bytes) : "" }

  /// The message about an object that lacks a field, with the other fields that it lacks.
  private mutating func missing(_ field: Int, _ keys: [String]) -> String {
    let unknown = E.fields.indices.filter { isUnknown($0, among: keys) }
    let fields = unknown.contains(field) ? unknown : [field]
    // Consecutive rows that lack the same fields get the same message, which is computed once.
    if let last = lastMissing, last.unknown == unknown, last.field == field, last.keys == keys { return last.text }
    let names = fields.map { "'\(E.fields[$0].name)'" }
    var text = listed(names) + (names.count > 1 ? " are missing" : " is missing")
    if let path = mapping[E.fields[field].name] { text += ": there is nothing at '\(path.prefix(60))'" }
    if !keys.isEmpty {
      text += "; the object has " + keys.prefix(20).map { "'\($0.prefix(60))'" }.joined(separator: ", ") + (keys.count > 20 ? ", …" : "")
      let other = FileLook.otherEvent(than: E.fields, in: keys)
      text += other.isEmpty && unknown.contains(field) ? "; " + remedy(for: fields, in: keys) : other
    }
    lastMissing = (field, unknown, keys, text)
    return text
  }

  /// True if a field is required, has no mapping, and none of its names is among the keys; a field that is null is among them.
  private func isUnknown(_ field: Int, among keys: [String]) -> Bool {
    let wanted = E.fields[field]
    guard wanted.isRequired, slots[field].kind == .absent, mapping[wanted.name] == nil, !(hasSymbol && wanted == .symbol) else {
      return false
    }
    return !keys.contains { key in wanted.aliases.contains { $0 == key || ($0.count > 1 && $0.lowercased() == key.lowercased()) } }
  }

  private func remedy(for fields: [Int], in keys: [String]) -> String {
    let used = Set(
      E.fields.indices.filter { !fields.contains($0) }.flatMap { field in
        let field = E.fields[field]
        return mapping[field.name].map { [String($0.prefix { $0 != "." && $0 != "[" })] } ?? field.aliases.map { $0.lowercased() }
      })
    let taken = Set(keys.indices.filter { used.contains(keys[$0]) || used.contains(keys[$0].lowercased()) })
    return LikelyColumns.remedy(for: fields.map { E.fields[$0] }, in: keys, taken: taken, isNumbered: false)
  }

  private mutating func reason(_ problem: FieldProblem, _ reader: borrowing LineReader) -> String {
    let field = "'\(E.fields[problem.field].name)'"
    let bytes = slots[problem.field].trimmed
    let shown = String(decoding: bytes.prefix(60), as: UTF8.self)
    let text = "'\(shown)\(bytes.count > 60 ? "…" : "")'"
    switch problem.reason {
    case .missing:
      if !isJSON { return "\(field) is empty" }
      return missing(problem.field, json.keys(of: reader.bytes)) + spread(reader)
    case .notANumber: return "\(field) is not a number: \(text)" + ValueAdvice.number(bytes)
    case .tooManyDecimals: return "\(field) has more than nine decimals: \(text)"
    case .notExact: return "\(field) divided by the price scale is out of range or has more than nine decimals: \(text)"
    case .outOfRange: return "\(field) is out of range: \(text)"
    case .negative: return "\(field) is negative: \(text)"
    case .notASide: return "\(field) is neither buy nor sell: \(text)"
    case .notACondition:
      return "\(field) has an unknown code: \(text); 'conditions' can say what it means"
    case .notWhole: return "\(field) is not a whole number: \(text)"
    case .notALength: return "\(field) is no length of a bar such as 1m, 100t or 5000v: \(text)"
    case .notAValue: return "\(field) is an object or a list, not a value"
    case .symbol(let why): return "\(field): \(why): \(text)"
    case .time(let why): return "\(field) \(why): \(text)" + (values.times.isForText ? ValueAdvice.time(bytes) : "")
    }
  }
}
