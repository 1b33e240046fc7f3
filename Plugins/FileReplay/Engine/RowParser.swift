internal import MarketData

/// What rows of one layout become, wherever their lines come from.
struct RowParser<E: ReplayEvent>: ~Copyable {
  private(set) var counts: ReplayCounts

  private let name: String
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
    self.isJSON = isJSON
    name = input.name
    slots = Slots(count: fields.count)
    let symbol = input.symbol ?? options.symbol
    csv = CSVRows(format: options.csv, fields: fields, mapping: options.columns, hasSymbol: symbol != nil, file: input.name)
    json = JSONRows(paths: paths, slots: slots)
    let zone = options.zone.flatMap { ZoneRules($0) }
    let times = TimeDecoder(format: options.timeFormat, zone: zone, date: input.date ?? options.date)
    values = ValueDecoder(symbol: symbol, times: times, scale: options.priceScale)
    from = options.from?.ns ?? .min
    until = options.until?.ns ?? .max
    hasUntil = options.until != nil
    isAtEnd = false
    counts = ReplayCounts()
  }

  /// The reader has been given other lines: goes on with them.
  mutating func resume() { isAtEnd = false }

  /// Hands out the next events, at most `limit`, and answers how many; 0 only at the end or for a limit of 0.
  ///
  /// Malformed rows go to `malformed`, in the lines' order; where it answers `stop` they are thrown. After an error the parser is
  /// at its end.
  @inline(__always)
  mutating func next(
    _ reader: inout LineReader, limit: Int, into body: (E) -> Void, malformed: (MalformedRow) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    var count = 0
    do throws(ReplayError) {
      while count < limit, !isAtEnd {
        switch isJSON ? try json.next(&reader, slots) : try csv.next(&reader, slots) {
        case .row:
          do throws(FieldProblem) {
            let event = try E.decode(slots, &values)
            let time = event.time.ns
            if time < from || (time >= until && hasUntil) {
              counts.outside &+= 1
            } else {
              body(event)
              count &+= 1
            }
          } catch { try reject(reason(error, reader), reader, malformed) }
        case .blank: break
        case .malformed: try reject(isJSON ? json.reason : csv.reason, reader, malformed)
        case .end: isAtEnd = true
        }
      }
    } catch {
      isAtEnd = true
      counts.events += count
      throw error
    }
    counts.events += count
    return count
  }

  @inline(never)
  private mutating func reject(
    _ reason: String, _ reader: borrowing LineReader, _ malformed: (MalformedRow) -> MalformedPolicy
  ) throws(ReplayError) {
    counts.malformed += 1
    let row = MalformedRow(reader, file: name, reason: reason)
    if malformed(row) == .stop { throw ReplayError(malformed: row) }
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
      return "\(field) is missing" + (keys.isEmpty ? "" : "; the object has \(listed)")
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
