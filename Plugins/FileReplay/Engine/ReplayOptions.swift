internal import StockbusDecoding
internal import StockbusFiles
internal import StockbusPlugin

/// One file of a replay.
struct ReplayInput: Sendable {
  /// The name used in errors.
  var name: String
  var contents: ReplayContents
  /// The symbol of rows that have none; if nil, the options' one is used.
  var symbol: Symbol?
  /// The day for times since midnight; if nil, the options' one is used.
  var date: CivilDate?

  /// The file at `path`, which is also its name; `halt` ends waiting for a pipe.
  init(path: String, until halt: Halt = Halt(), symbol: Symbol? = nil, date: CivilDate? = nil) {
    self.init(name: path == "-" ? "standard input" : path, contents: .file(path, until: halt), symbol: symbol, date: date)
  }

  init(name: String, contents: ReplayContents, symbol: Symbol? = nil, date: CivilDate? = nil) {
    self.name = name
    self.contents = contents
    self.symbol = symbol
    self.date = date
  }
}

/// The format of the rows.
enum RowFormat: String, Hashable, Sendable, CaseIterable {
  /// JSON lines if the first character that is not a blank is `{`, otherwise delimited fields.
  case auto
  case csv
  case jsonLines = "jsonl"
  /// A venue's messages, each with its time of receipt.
  case raw
}

/// How often a replay runs over its files.
enum ReplayLoops: Hashable, Sendable {
  /// At least once.
  case times(Int)
  case endless

  /// True if there is another loop after `count`.
  func allow(_ count: Int) -> Bool {
    switch self {
    case .times(let all): count < all
    case .endless: true
    }
  }
}

/// How rows become events, and which of them are replayed.
struct ReplayOptions: Sendable {
  var format = RowFormat.auto
  /// Creates symbols from names.
  var intake = SymbolIntake.open
  var csv = CSVFormat()
  var encoding = TextEncoding.utf8
  /// The mapping by the event's field: a column's name or number, or a path in a JSON object; other fields are found by their usual names.
  var columns: [String: String] = [:]
  /// The columns beside the events.
  var extraColumns = ColumnLayout()
  /// The symbol of rows that have none.
  var symbol: Symbol?
  /// The length of bars in rows without one.
  var length = BarLength.unknown
  /// How sale conditions are read. Nil: stockbus's own words are read, and all others are regular.
  var conditions: ConditionTable?
  var time = TimeForm.auto
  /// An IANA zone for dates, for times without a zone, and for times since midnight.
  var zone: String?
  /// How times finer than a nanosecond are treated.
  var finer = FinerTimes.reject
  /// The day for times since midnight.
  var date: CivilDate?
  /// Prices are divided by this number, exactly: with 10000 the row's 138300 becomes 13.83.
  var priceScale: Int64 = 1
  /// Sizes are divided by this number, exactly.
  var sizeScale: Int64 = 1
  /// Prices and sizes are multiplied by these numbers.
  var priceFactor: Int64 = 1
  var sizeFactor: Int64 = 1
  /// How prices finer than a billionth are treated.
  var finerPrices = FinerPrices.reject
  /// How numbers are written.
  var numbers = NumberForm.plain
  /// The words for sides; nil for the usual ones.
  var sides: SideWords?
  /// Returns the time of day, which decides which numbers can be times.
  var now: @Sendable () -> Timestamp = { Timestamp(ns: .max) }
  /// The earliest time that a number can be.
  var earliest = TimeGuess.earliest
  /// Only events at or after this time.
  var from: Timestamp?
  /// Only events before this time.
  var until: Timestamp?
  var loops = ReplayLoops.times(1)
  /// How the messages of raw captures are decoded; merged with the preset.
  var decoding = DecodingSpec()
  /// The symbols of the events of raw captures.
  var symbols: [Symbol] = []
  /// The component that replays.
  var component = ""
  /// Bytes read at a time.
  var blockSize = 128 << 10
  /// The largest size of a line, or of a row of several lines, in bytes.
  var lineLimit = 1 << 20

  /// Throws `badOption` if the options contradict each other or do not fit events with these fields.
  func validate(_ fields: [ReplayField], inputs: [ReplayInput]) throws(ReplayError) {
    func problem(_ message: String) -> ReplayError {
      ReplayError(code: .badOption, file: "file_replay", place: nil, message: message)
    }
    for (name, column) in columns.sorted(by: { $0.key < $1.key }) {
      guard fields.contains(where: { $0.name == name }) || extraColumns.place(of: name) != nil || name == CSVColumns.dateName else {
        let names = fields.map(\.name)
        let known = names.map { "'\($0)'" }.joined(separator: ", ")
        throw problem("the event has no field '\(name)'\(didYouMean(name, among: names, otherwise: "; it has \(known)"))")
      }
      if column.isEmpty { throw problem("the column for '\(name)' is empty") }
    }
    _ = try zoneRules()
    if time.needsDate, let input = inputs.first(where: { ($0.date ?? date) == nil }) {
      throw problem("times in '\(time.name)' need a date for '\(input.name)'")
    }
    if priceScale < 1 { throw problem("the price scale must be at least 1, got \(priceScale)") }
    if sizeScale < 1 { throw problem("the size scale must be at least 1, got \(sizeScale)") }
    if let from, let until, from >= until { throw problem("'from' (\(from)) must be before 'until' (\(until))") }
    if case .times(let count) = loops, count < 1 { throw problem("the count of loops must be at least 1, got \(count)") }
    if inputs.isEmpty { throw problem("there is no file to replay") }
  }

  /// The rules of the zone; nil if none is given. Throws `badOption`.
  func zoneRules() throws(ReplayError) -> ZoneRules? {
    guard let zone else { return nil }
    do throws(ZoneProblem) { return try ZoneRules(zone) } catch {
      throw ReplayError(code: .badOption, file: "file_replay", place: nil, message: error.message)
    }
  }

  /// True if the rows of a file are JSON; reads the file's beginning if the format is not given.
  func isJSON(_ reader: inout LineReader) -> Bool { format == .jsonLines || (format == .auto && reader.peekFirst() == 123) }

  /// The paths at which each field is searched in a JSON object.
  func paths(_ fields: [ReplayField]) throws(ReplayError) -> [[JSONPath]] {
    var all: [[JSONPath]] = []
    for field in fields {
      if let written = columns[field.name] {
        guard let path = JSONPath(written) else {
          let message = "'\(written)' is not a path for '\(field.name)'; paths are written like data.p or tick[0].px"
          throw ReplayError(code: .badOption, file: "file_replay", place: nil, message: message)
        }
        all.append([path])
      } else {
        // `Price` is accepted for `price`; for single letters the case matters.
        let capital = field.aliases.filter { $0.count > 1 }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        all.append((field.aliases + capital).map { JSONPath(key: $0) })
      }
    }
    return all
  }
}
