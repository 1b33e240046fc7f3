internal import StockbusDecoding
internal import StockbusFiles
internal import StockbusPlugin

struct FileReplaySettings: Options {
  @Setting(
    "The file or files, merged by time; gzip and the databases of 'history' are recognised by their contents. '-' is standard input; rows from there, or from a named pipe, are sent as they arrive.",
    count: 1...1000)
  var path: [String]
  @Setting("The type of event that a row or message becomes; raw sends the messages of a raw capture unchanged.")
  var event = FeedKind.trade
  @Setting(
    "How rows are written; raw: one '<receive time> <message>' or '<receive time>: <message>' a line. auto means raw if there is a 'preset' or 'decoding', JSON lines if the first character is a brace, otherwise CSV."
  )
  var format = RowFormat.auto
  @Setting("The venue that sent the messages of a raw capture.")
  var preset: VenuePreset?
  @Setting("How the messages of a raw capture are decoded; what is left out is taken from the preset.")
  var decoding = DecodingSpec()
  @Setting("The symbols to use for the events of a raw capture, if the venue writes them differently.")
  var symbols: [Symbol] = []
  @Setting("What separates CSV fields: comma, semicolon, tab or pipe.")
  var delimiter = Delimiter.comma
  @Setting("The first CSV row names the columns.")
  var header = true
  @Setting("How many lines are before the header, or before the first row.", in: 0...1000)
  var skipLines = 0
  @Setting("Lines that begin with one of these texts are no CSV rows: comments, totals, a footer.", count: 0...100)
  var ignore: [String] = []
  @Setting(
    "How text is encoded: utf-8, utf-16 (recognised by its byte-order mark; otherwise the lower byte is first) or windows-1252, which also reads latin1."
  )
  var encoding = TextEncoding.utf8
  @Setting(
    "Where an event's fields are: a column's name or number, or a path such as data.p or tick[0].px in JSON; other fields are found by their usual names. In CSV, date is the column of the date if that of the time has the time of day only; both are read as one text, with a blank between them. With the same column for size and side, a negative size is a sale."
  )
  var columns: Mapping<String> = [:]
  @Setting(
    "The columns beside the events that the file has too, with their kinds, such as { vwap: number, away: percent, rising: flag }. They are found by these names, or where 'columns' says; what is empty has no value.",
    count: 0...64)
  var extraColumns: ExtraColumns = [:]
  @Setting("The symbol of files that name none.")
  var symbol: Symbol?
  @Setting("The length of bars in files that do not give it, e.g. 1d; of a history, which bars of it are replayed.")
  var length: BarLength?
  @Setting(
    "How sale conditions of trades are written: words as stockbus writes them, or the codes of cta, utp, lean or massive. Without it, and without 'conditions', words are read, and any other text counts as regular."
  )
  var conditionCodes: ConditionCodes?
  @Setting("The meaning of codes that are not among 'condition_codes', or that mean something else: { X: contingent }.")
  var conditions: Mapping<TradeCondition> = [:]
  @Setting(
    "How times are written: auto, iso8601, date, yyyymmdd (also with the time of day, 20080102093000), days, s, ms, us or ns since 1970, excel (days since 1899-12-30), e.g. 'ns since midnight' of the date, or a pattern such as 'MM/dd/yyyy HH:mm:ss.SSS': yyyy or yy, MM, dd, HH, mm and ss are numbers of two digits, with one letter (M, d, H) of one or two; SSS are three decimals, S any number of them; hh with a are 12 hours with AM or PM; MMM and MMMM are English months, EEE days of the week; X is an offset from UTC; Z, UTC and GMT say that it is UTC; other text stands in single quotes. auto reads ISO-8601, dates such as 2008-01-02 and 20080102, and numbers that are a time from 1990 to tomorrow in s, ms, us or ns since 1970; it logs which unit it has chosen, and refuses other numbers."
  )
  var time = TimeForm.auto
  @Setting(
    "The IANA time zone of dates, of times without a zone, and of midnight, e.g. America/New_York; bars of a day or more that begin at its midnight are bars of that date.",
    length: 1...)
  var zone: String?
  @Setting("Times finer than a nanosecond: reject (the row is malformed) or truncate (further digits are cut off).")
  var finer = FinerTimes.reject
  @Setting("The date of times that count from midnight, e.g. 2013-10-08.")
  var date: CivilDate?
  @Setting(
    "Prices are divided by it, exactly: with 10000 the row's 138300 is 13.83. Or the unit in which they are: cents, thousands, millions, or 'lots of 100'."
  )
  var priceScale = NumberScale(1)
  @Setting(
    "Sizes and volumes are divided by it, exactly: with 1000 the row's 23640926208 is 23640926.208, for sizes beyond 9,223,372,036; without it such sizes become 0 and are counted as unfit. Or the unit in which they are, as with 'price_scale'."
  )
  var sizeScale = NumberScale(1)
  @Setting(
    "Prices with more than nine decimals: reject (the row is malformed) or round (to nine, unless that gives 0). Sizes are cut after the ninth decimal, and counted."
  )
  var finerPrices = FinerPrices.reject
  @Setting(
    "How numbers are written: plain (1234.50), grouped (also 1,234.50, 1'234.50 or 1 234.50) or comma (1234,50, also 1.234,50, 1'234,50 or 1 234,50). With grouped and comma also $1,234.50 and 1.234,50 EUR, (5) for -5, 1.2K, 3M, and a per cent sign, which is left out."
  )
  var numbers = NumberForm.plain
  @Setting(
    "The words for the side that took the liquidity, e.g. { buy: [BUYER], sell: [SELLER] }; by default buy, b, bought, bot, sell, s, sold and sld in any case, and Databento's a for sell and n for unknown."
  )
  var sides: SideWords?
  @Setting("Speed: max, or a multiple of the recorded one such as 1x or 60x.")
  var speed = ReplaySpeed.max
  @Setting(
    "Only events at or after this time; for raw captures the receive time counts. Without an offset it is a time in 'zone', or in UTC if that is not set, and the first of the two if clocks go back."
  )
  var from: ReplayMoment?
  @Setting("Only events before this time, written in the same way.")
  var until: ReplayMoment?
  @Setting("How often to replay: a number, or endless.")
  var loops = ReplayLoops.times(1)
  @Setting("What happens with a malformed row: skip (it becomes a dead letter) or stop (the component fails).")
  var malformed = MalformedPolicy.skip
  @Setting("The longest row that is read.", in: ByteSize(bytes: 16)...ByteSize(bytes: 1 << 28))
  var rowLimit = ByteSize(bytes: 1 << 20)
  @Setting(
    "How many parsers work in parallel on a large file at full speed; the order is kept. By default one for each processor.", in: 1...16)
  var parsers: Int?

  init() {}

  var files: [FileUse] { path.enumerated().map { .reading($1, at: "path", item: $0) } }

  /// True if `other` gives the same events from the same files. False for captures with their own decoding, because decodings cannot be
  /// compared.
  func isReadLike(_ other: FileReplaySettings) -> Bool {
    guard decoding.messages == nil, other.decoding.messages == nil else { return false }
    return path == other.path && event == other.event && format == other.format && preset == other.preset && symbols == other.symbols
      && delimiter == other.delimiter && header == other.header && skipLines == other.skipLines && ignore == other.ignore
      && encoding == other.encoding && columns == other.columns && extraColumns == other.extraColumns && symbol == other.symbol
      && conditionCodes == other.conditionCodes && conditions == other.conditions && length == other.length && time == other.time
      && zone == other.zone && finer == other.finer && date == other.date
      && priceScale == other.priceScale && sizeScale == other.sizeScale && finerPrices == other.finerPrices && numbers == other.numbers
      && sides?.pairs.map(\.word) == other.sides?.pairs.map(\.word) && sides?.pairs.map(\.side) == other.sides?.pairs.map(\.side)
      && from == other.from && until == other.until && rowLimit == other.rowLimit
  }

  var parserCount: Int { parsers ?? min(8, usableProcessors()) }

  /// True for raw captures.
  var isRaw: Bool {
    format == .raw || (format == .auto && (preset != nil || decoding.messages != nil || event == .raw))
  }

  /// How messages are decoded; merged with the preset.
  var spec: DecodingSpec { .whole(preset, decoding) }

  /// Options that do not apply to raw captures, and options that apply to them only.
  private static let forRows = [
    "delimiter", "header", "skip_lines", "ignore", "columns", "extra_columns", "symbol", "length", "condition_codes", "conditions", "time",
    "zone", "finer",
    "date", "price_scale",
    "size_scale", "finer_prices", "numbers", "sides",
  ]
  private static let forCaptures = ["preset", "decoding", "symbols"]

  func validate(_ problems: inout OptionProblems) {
    for i in path.indices where path[i] == "-" {
      if path.firstIndex(of: "-") != i { problems.add("'path': standard input ('-') can be read only once", at: "path", item: i) }
      if i == path.firstIndex(of: "-"), loops != .times(1) {
        problems.add("'loops': standard input ('-') can be read only once", at: "loops")
      }
    }
    if length != nil, event != .bar { problems.add("'length' is for 'event: bar'", at: "length") }
    for name in ["condition_codes", "conditions", "sides"] where event != .trade && event != .raw && problems.isGiven(name) {
      problems.add("'\(name)' is for 'event: trade'", at: name)
    }
    if isRaw {
      for name in Self.forRows where problems.isGiven(name) {
        // `from` and `until` use the zone for every kind of file.
        if name == "zone", from ?? until != nil { continue }
        problems.add("'\(name)' is not for raw captures", at: name)
      }
    } else {
      for name in Self.forCaptures where problems.isGiven(name) {
        let hint = name == "symbols" ? "; a watchlist_filter after it passes some symbols only" : ""
        problems.add("'\(name)' is for 'format: raw'\(hint)", at: name)
      }
    }
    for name in ["skip_lines", "ignore"] where format == .jsonLines && problems.isGiven(name) {
      problems.add("'\(name)' is for CSV", at: name)
    }
    if let zone {
      do throws(ZoneProblem) { _ = try ZoneRules(zone) } catch { return problems.add(error.message, at: "zone") }
    }
    if time.needsDate, date == nil {
      problems.add("times in '\(time.name)' need a date: set 'date', such as 'date: 2013-10-08'", at: "time")
    }
    checkWindow(&problems)
  }

  /// The faults for an event type with these fields. `kind` is the type into which messages of a raw capture are decoded; nil if they are
  /// the events themselves.
  func faults(fields: [ReplayField], kind: EventKind?, event: String) -> [(option: String, message: String)] {
    if isRaw {
      // Messages that are not decoded need no spec.
      guard let kind else { return [] }
      return spec.decodingFaults(event: kind).map { (decoding.messages == nil ? "preset" : "decoding.\($0.option)", $0.message) }
    }
    if kind == nil { return [("event", "'event: raw' is for 'format: raw'")] }
    let known = fields.map(\.name) + extraColumns.layout.names + (format == .jsonLines ? [] : [CSVColumns.dateName])
    let names = columns.entries.filter { !known.contains($0.name) }.map { entry in
      let message = "'columns': \(event) has no field '\(entry.name)'"
      if known.contains(entry.value) { return message + "; write '\(entry.value): \(entry.name)', the field before its column" }
      let alias = fields.first { $0.aliases.contains(entry.name.lowercased()) }?.name
      let near = (alias ?? suggestion(for: entry.name, among: known)).map { "; did you mean '\($0)'?" }
      return message + (near ?? "; there are \(fields.map(\.name).joined(separator: ", "))")
    }
    return (names + columnFaults).map { ("columns", $0) }
  }

  /// The faults of `columns` for any event type.
  private var columnFaults: [String] {
    columns.entries.compactMap { entry in
      if entry.value.isEmpty { return "'columns': the column of '\(entry.name)' is empty" }
      if case .number(0) = ColumnReference(entry.value), format != .jsonLines { return "'columns': columns are counted from 1" }
      return format == .jsonLines && JSONPath(entry.value) == nil
        ? "'columns': \(shown(entry.value)) is not a path; paths are written like data.p or tick[0].px" : nil
    }
  }

  private func checkWindow(_ problems: inout OptionProblems) {
    var times: [Timestamp] = []
    for (name, moment) in [("from", from), ("until", until)] {
      guard let moment else { continue }
      do throws(ReplayMoment.Missing) { times.append(try time(of: moment)) } catch { problems.add("'\(name)': \(error.message)", at: name) }
    }
    if times.count == 2, times[0] >= times[1] {
      problems.add("'from' (\(times[0])) must be before 'until' (\(times[1]))", at: "from")
    }
  }

  private func time(of moment: ReplayMoment) throws(ReplayMoment.Missing) -> Timestamp {
    var rules = zone.flatMap { try? ZoneRules($0) }
    return try moment.time(in: &rules)
  }

  /// The options for checking a file's header. Options about times are left out, because reading a zone's rules takes longer than the
  /// check.
  var headOptions: ReplayOptions {
    var settings = self
    (settings.zone, settings.from, settings.until) = (nil, nil, nil)
    return settings.options
  }

  /// The options for checking a file's first rows. For the same reason the zone is UTC: a time can be parsed with any zone.
  var rowOptions: ReplayOptions {
    var options = headOptions
    options.zone = zone.map { _ in "UTC" }
    // The check creates no symbols.
    options.intake = SymbolIntake(limit: 0)
    return options
  }

  var options: ReplayOptions {
    var options = ReplayOptions()
    options.format = isRaw ? .raw : format
    options.decoding = spec
    options.symbols = symbols
    options.csv = CSVFormat(delimiter: delimiter, hasHeader: header, skipped: skipLines, ignored: ignore.map { Array($0.utf8) })
    options.encoding = encoding
    options.columns = Dictionary(columns.entries.map { ($0.name, $0.value) }) { first, _ in first }
    options.extraColumns = extraColumns.layout
    options.symbol = symbol
    options.length = length ?? .unknown
    if conditionCodes != nil || !conditions.entries.isEmpty {
      options.conditions = ConditionTable(conditionCodes ?? .words, own: conditions)
    }
    options.time = time
    options.zone = zone
    options.date = date
    (options.priceScale, options.priceFactor) = (priceScale.divisor, priceScale.factor)
    options.finer = finer
    (options.sizeScale, options.sizeFactor) = (sizeScale.divisor, sizeScale.factor)
    options.finerPrices = finerPrices
    options.numbers = numbers
    options.sides = sides
    // Both have been validated.
    options.from = from.flatMap { try? time(of: $0) }
    options.until = until.flatMap { try? time(of: $0) }
    options.loops = loops
    options.lineLimit = rowLimit.bytes
    return options
  }
}

extension RowFormat: Choice {}
extension MalformedPolicy: Choice {}
extension FinerTimes: Choice {}
extension NumberForm: Choice {}

extension Delimiter: ScalarOption {
  init(option text: String) throws(OptionTextError) {
    guard let delimiter = Delimiter(text) ?? Delimiter(text.lowercased()) else { throw .mismatch }
    self = delimiter
  }
  static var optionType: OptionType { OptionType("delimiter", plural: "delimiters", phrase: "comma, semicolon, tab or pipe") }
  static var optionSample: String { "comma" }
  static var optionSchema: JSONValue { ["type": "string"] }
  var optionText: String {
    switch self {
    case .comma: "comma"
    case .semicolon: "semicolon"
    case .tab: "tab"
    case .pipe: "pipe"
    }
  }

  /// The delimiter as messages name it.
  var phrase: String { self == .tab ? "a tab" : "a \(optionText)" }
}

/// The unit of the numbers in a column: they are divided by one number and multiplied by another.
struct NumberScale: Hashable, Sendable {
  let divisor: Int64
  let factor: Int64

  init(_ divisor: Int64, factor: Int64 = 1) { (self.divisor, self.factor) = (divisor, factor) }
}

extension NumberScale: ScalarOption {
  private static let words = [
    "cents": NumberScale(100), "thousands": NumberScale(1, factor: 1000), "millions": NumberScale(1, factor: 1_000_000),
  ]

  init(option text: String) throws(OptionTextError) {
    let isLots = text.hasPrefix("lots of ")
    if let unit = Self.words[text] {
      self = unit
    } else if let number = Int64(isLots ? text.dropFirst(8) : text[...]), (1...1_000_000_000).contains(number) {
      self = isLots ? NumberScale(1, factor: number) : NumberScale(number)
    } else if Int64(text) != nil {
      throw .because("it is from 1 to 1000000000")
    } else if text.lowercased().hasPrefix("lot") {
      throw .hint("write how many a lot has, as in 'lots of 100'")
    } else {
      throw ["cent", "thousand", "million"].contains(text.lowercased()) ? .hint("did you mean '\(text.lowercased())s'?") : .mismatch
    }
  }
  static var optionType: OptionType {
    OptionType("unit", plural: "units", phrase: "a number from 1 to 1000000000, cents, thousands, millions or e.g. 'lots of 100'")
  }
  static var optionSample: String { "100" }
  static var optionSchema: JSONValue { ["type": ["integer", "string"]] }
  var optionText: String {
    Self.words.first { $0.value == self }?.key ?? (factor == 1 ? "\(divisor)" : "lots of \(factor)")
  }
}

extension TimeForm: ScalarOption {
  init(option text: String) throws(OptionTextError) {
    if let format = TimeFormat(text) {
      self.init(format)
      return
    }
    do throws(TimePattern.Fault) { self.init(try TimePattern(text)) } catch {
      if let meant = TimeFormat.meant(by: text) { throw .hint("did you mean '\(meant.name)'?") }
      let small = text.lowercased()
      if let meant = TimePattern.meant(by: text) { throw .hint("did you mean '\(meant.text)'?") }
      if small.contains("%") { throw .hint("patterns are written like MM/dd/yyyy HH:mm:ss.SSS") }
      throw small.contains("yy") || small.contains("mm") ? .hint(error.message) : .mismatch
    }
  }
  static var optionType: OptionType {
    OptionType(
      "time format", plural: "time formats",
      phrase: "one of \(TimeFormat.named.map(\.name).joined(separator: ", ")), or a pattern such as MM/dd/yyyy HH:mm:ss")
  }
  static var optionSample: String { "iso8601" }
  static var optionSchema: JSONValue { ["type": "string"] }
  var optionText: String { name }
}

extension ReplaySpeed: ScalarOption {
  init(option text: String) throws(OptionTextError) {
    guard let speed = ReplaySpeed(text) else {
      let word = text.lowercased()
      if let speed = ReplaySpeed(word) ?? ReplaySpeed(word + "x") { throw .hint("write \(speed.optionText)") }
      if ["realtime", "real", "live", "recorded", "real_time"].contains(word) { throw .hint("did you mean '1x'?") }
      throw ["full", "fast", "fastest", "unlimited"].contains(word) ? .hint("did you mean 'max'?") : .mismatch
    }
    self = speed
  }
  static var optionType: OptionType { OptionType("speed", plural: "speeds", phrase: "max, or a multiple such as 1x or 2.5x") }
  static var optionSample: String { "1x" }
  static var optionSchema: JSONValue { ["type": "string"] }
  var optionText: String {
    switch self {
    case .max: "max"
    case .times(let factor): "\(factor)x"
    }
  }
}

extension ReplayLoops: ScalarOption {
  init(option text: String) throws(OptionTextError) {
    if text == "endless" {
      self = .endless
    } else if let count = Int(text), count >= 1 {
      self = .times(count)
    } else {
      throw ["forever", "infinite", "always", "true", "-1"].contains(text.lowercased()) ? .hint("did you mean 'endless'?") : .mismatch
    }
  }
  static var optionType: OptionType { OptionType("count", plural: "counts", phrase: "a number from 1 on, or endless") }
  static var optionSample: String { "endless" }
  static var optionSchema: JSONValue { ["type": ["integer", "string"]] }
  var optionText: String {
    switch self {
    case .times(let count): "\(count)"
    case .endless: "endless"
    }
  }
}
