internal import MarketData
internal import StockbusDecoding

/// What became of a file's rows; blank lines and the header are none.
struct ReplayCounts: Hashable, Sendable {
  /// Handed out.
  var events = 0
  /// Well-formed, but before `from` or not before `until`.
  var outside = 0
  var malformed = 0
  /// Messages of raw captures of a kind that nobody knows.
  var unknown = 0

  static func += (a: inout ReplayCounts, b: ReplayCounts) {
    a.events += b.events
    a.outside += b.outside
    a.malformed += b.malformed
    a.unknown += b.unknown
  }
}

/// The events of one file, in the file's order.
struct FileCursor<E: ReplayEvent>: ~Copyable {
  var counts: ReplayCounts

  /// Bytes of the file read so far, as it lies on the disk.
  var bytesRead: Int { reader.bytesRead }
  /// Bytes the file has on the disk; nil for what is no plain file.
  var size: Int? { reader.size }

  private let name: String
  var reader: LineReader
  private let slots: Slots
  private var csv: CSVRows
  private var json: JSONRows
  private let isJSON: Bool
  private var values: ValueDecoder
  let from: Int64
  let until: Int64
  let hasUntil: Bool
  var isAtEnd: Bool
  /// For raw captures.
  var capture: Capture<E>

  /// Opens the file and looks at its beginning where the format is not given. The options have been validated.
  init(_ input: ReplayInput, _ options: ReplayOptions) throws(ReplayError) {
    let fields = E.fields
    var reader = try LineReader(input.contents, name: input.name, blockSize: options.blockSize, limit: options.lineLimit)
    let isRaw = options.format == .raw
    let isJSON = options.format == .jsonLines || (options.format == .auto && reader.peekFirst() == 123)
    let paths = isJSON ? try options.paths(fields) : []
    capture = isRaw ? try Capture(options) : Capture()
    self.reader = reader
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

  /// Hands out the next events, at most `limit`, and answers how many; 0 only at the end or for a limit of 0.
  ///
  /// Malformed rows go to `malformed`, in the file's order; where it answers `stop` they are thrown. After an error the cursor is
  /// at its end.
  mutating func next(
    limit: Int, into body: (E) -> Void, malformed: (MalformedRow) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    if capture.isOpen { return try nextCaptured(limit: limit, into: body, malformed: malformed) }
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
          } catch { try reject(reason(error), malformed) }
        case .blank: break
        case .malformed: try reject(isJSON ? json.reason : csv.reason, malformed)
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
  mutating func reject(_ reason: String, _ malformed: (MalformedRow) -> MalformedPolicy) throws(ReplayError) {
    counts.malformed += 1
    let text = String(decoding: reader.bytes.prefix(MalformedRow.textLimit), as: UTF8.self)
    let row = MalformedRow(file: name, line: reader.line, reason: reason, text: text)
    if malformed(row) == .stop { throw ReplayError(code: .malformedRow, file: name, place: .line(row.line), message: reason) }
  }

  private mutating func reason(_ problem: FieldProblem) -> String {
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
