internal import MarketData
internal import StockbusDecoding
internal import StockbusFiles

/// Checks the beginning of a file before a run: errors that prevent the replay are reported when the configuration is checked, with the
/// same text as in the run.
///
/// The check creates no events and no symbols; the run reads the file from its first byte.
enum FileHead {
  /// The number of bytes that are read, before decompression. A longer header is checked in the run.
  static let size = 16 << 10

  /// The error in these bytes; nil if there is none, or if the file cannot be read at the moment.
  static func fault(of path: String, _ options: ReplayOptions, as fields: [ReplayField], size: Int = size) -> String? {
    if HistoryFile.isOne(path) { return HistoryFile.fault(path, as: fields).map { "which \($0)" } }
    do throws(ReplayError) {
      try look(ReplayInput(name: path, contents: .head(path, size)), options, as: fields, size)
      return nil
    } catch {
      switch error.code {
      // The data only seems to end, because no more was read.
      case .badGzip where error.place == .byte(size + 1): return nil
      case .unreadable, .halted, .malformedRow, .badOption: return nil
      case .unsupported, .badGzip, .badColumns: break
      }
      return switch error.place {
      case .line(let line): "line \(line): \(error.message)"
      case .byte(let byte): "byte \(byte): \(error.message)"
      case nil: "which \(error.message)"
      }
    }
  }

  /// A warning if none of the whole rows in the beginning gives an event, or less than half of the first ten, or if their times are in another
  /// unit than the option says. Nil if there are none, and for raw captures, whose messages need not give events.
  static func doubt(
    about path: String, _ options: ReplayOptions, as fields: [ReplayField], event: String, size: Int = size
  ) -> String? {
    if options.format == .raw || HistoryFile.isOne(path) { return nil }
    do throws(ReplayError) {
      let input = ReplayInput(name: path, contents: .head(path, size))
      var reader = try LineReader(input.contents, name: path, blockSize: size, limit: options.lineLimit, encoding: options.encoding)
      reader.waits = reader.size.map { $0 <= size } ?? false
      let isWhole = reader.waits
      let isJSON = options.isJSON(&reader)
      var rows = try RowReader(input, options, fields: fields, isJSON: isJSON)
      let events = try rows.firstEvents(&reader)
      let count = rows.malformed
      guard count > events, let row = rows.firstMalformed else { return rows.last.flatMap { tooEarly($0, options.time.format) } }
      if events > 0 { return "line \(row.line): \(row.reason); \(count) of the first \(count + events) rows are no \(event)" }
      let looked = isWhole ? "" : " of the first \(size >> 10) KiB"
      let none = count == 1 ? "the only row\(looked) is not a \(event)" : "none of the \(count) rows\(looked) is a \(event)"
      return "line \(row.line): \(row.reason); \(none)" + (isJSON ? "" : remedy(path, event, hasZone: options.zone != nil))
    } catch { return nil }
  }

  /// A warning about a name of standard time, which is a zone too, and an hour behind in summer.
  static func doubt(aboutZone name: String) -> String? {
    let changing = ["EST": "America/New_York", "MST": "America/Denver"][name]
    return changing.map { "whose zone \(name) has no summer time; where clocks change write \($0)" }
  }

  /// Times in seconds that are read as milliseconds are in 1970; in other units it is similar.
  private static func tooEarly(_ time: Timestamp, _ format: TimeFormat) -> String? {
    guard let unit = format.unit, !format.isSinceMidnight else { return nil }
    let meant = EpochTime.unit(meantBy: "\(time.ns / Int64(unit))", insteadOf: unit)
    return meant.map { "in \(format.name) its times are such as \(time); write 'time: \($0)' if they are in \($0)" }
  }

  /// The options that read such rows, if they are found; otherwise empty. A zone that is given stays.
  private static func remedy(_ path: String, _ event: String, hasZone: Bool) -> String {
    let guess = FileGuess(path: path)
    let isSame = (guess.options.first { $0.name == "event" }?.value ?? "trade") == event
    let found = guess.options.filter { $0.name != "event" && !(hasZone && $0.name == "zone") }
    guard guess.problem == nil, !found.isEmpty, isSame else { return "" }
    let options = found.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    return "; these options read it: \(options)"
  }

  private static func look(
    _ input: ReplayInput, _ options: ReplayOptions, as fields: [ReplayField], _ size: Int
  ) throws(ReplayError) {
    var reader = try LineReader(input.contents, name: input.name, blockSize: size, limit: options.lineLimit, encoding: options.encoding)
    // If the file is not longer than the head, its last line is complete.
    reader.waits = reader.size.map { $0 <= size } ?? false
    guard options.format != .raw else {
      // Any contents are allowed, but the lines must be readable.
      _ = try reader.next()
      return
    }
    let isJSON = options.isJSON(&reader)
    var rows = try RowReader(input, options, fields: fields, isJSON: isJSON)
    do throws(ReplayError) { try rows.readColumns(&reader) } catch { throw error.explained(by: reader.rest, as: fields) }
  }
}
