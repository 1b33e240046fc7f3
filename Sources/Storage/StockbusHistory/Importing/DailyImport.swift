internal import MarketData
internal import StockbusFiles

/// Reads a CSV file of daily bars (`date,symbol,open,high,low,close,volume` in any order) into a history file.
///
/// The file is read as a stream. A row that gives no bar is reported with its line, and the rest is read. A trading date is midnight UTC of
/// that date: the file names dates and no times, so no calendar is needed, and the date of a bar is that of its start.
package struct DailyImport {
  /// The longest row in bytes.
  static let rowLimit = 64 << 10
  /// The most different symbols of a file.
  static let symbolLimit = 200_000
  /// Bars in one transaction.
  private static let chunk = 10_000

  /// A row that gives no bar.
  package struct Fault: Hashable, Sendable {
    /// Counted from 1.
    package var line: Int
    package var reason: String
    /// The beginning of the row.
    package var row: String
  }

  /// The counts of the rows by result.
  package struct Totals: Hashable, Sendable {
    /// Rows below the header that are not empty.
    package var rows = 0
    package var new = 0
    package var replaced = 0
    package var same = 0
    /// Bars that are in the file with a later revision.
    package var superseded = 0
    package var malformed = 0
    /// Bars with a volume of 0, because it is out of range or not defined.
    package var unfit = 0

    /// True if no row has given a bar.
    package var isFruitless: Bool { new + replaced + same + superseded == 0 }
  }

  /// Why a file cannot be read at all.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
    /// True if the header lacks a column.
    package var isOfHeader = false
  }

  private let open: () throws(HistoryError) -> HistoryWriter
  private var writer: HistoryWriter?
  private var totals = Totals()
  private var bars: [Bar] = []
  private var keys: Set<Key> = []

  private struct Key: Hashable {
    var symbol: Symbol
    var time: Timestamp
  }

  private init(_ open: @escaping () throws(HistoryError) -> HistoryWriter) { self.open = open }

  /// Imports the file at `path` (`-` is standard input), whose numbers are in the format `numbers`; calls `report` for each row that gives
  /// no bar, in order.
  ///
  /// The history is opened, and created if missing, when there is a bar to write. Bars are written in transactions of some thousands, so
  /// after an error the rows before it are in the history. Throws `Failure` about the file, and `HistoryError` about the history.
  package static func run(
    _ path: String, _ numbers: DailyNumbers = DailyNumbers(), into open: @escaping () throws(HistoryError) -> HistoryWriter,
    report: (Fault) -> Void
  ) throws -> Totals {
    var run = DailyImport(open)
    var numbers = numbers
    let name = path == "-" ? "standard input" : shown(path)
    let intake = SymbolIntake(limit: symbolLimit)
    var lines: ImportLines
    do throws(InputDescriptor.Failure) { lines = ImportLines(try InputDescriptor(path, halt: Halt()), limit: rowLimit) } catch {
      throw Failure(description: "\(name): \(error.text)")
    }
    var columns: DailyColumns?
    do {
      while let line = try lines.next() {
        if line.bytes.isEmpty { continue }
        guard let known = columns else {
          columns = try Self.columns(line, name)
          continue
        }
        run.totals.rows += 1
        let bar: (bar: Bar, isUnfit: Bool)
        do throws(DailyRowError) {
          if line.isCut { throw DailyRowError("the row is longer than \(rowLimit) bytes") }
          bar = try known.bar(line.bytes, intake, &numbers)
        } catch {
          if known.isHeader(Array(line.bytes)) {
            columns = try Self.columns(line, name)
            run.totals.rows -= 1
            continue
          }
          run.totals.malformed += 1
          report(Fault(line: line.number, reason: error.reason, row: String(decoding: line.bytes.prefix(200), as: UTF8.self)))
          continue
        }
        if bar.isUnfit { run.totals.unfit += 1 }
        try run.add(bar.bar)
      }
    } catch let error as InputDescriptor.Failure { throw Failure(description: "\(name): \(error.text)") }
    if columns == nil { throw Failure(description: "\(name) is empty: it needs the header \(DailyColumns.names.joined(separator: ","))") }
    try run.write()
    try run.writer?.close()
    return run.totals
  }
}

extension DailyImport {
  private static func columns(_ line: ImportLines.Line, _ name: String) throws(Failure) -> DailyColumns {
    do throws(DailyRowError) { return try DailyColumns(header: Array(line.bytes)) } catch {
      throw Failure(description: "\(name):\(line.number): \(error.reason)", isOfHeader: true)
    }
  }

  /// Takes a bar, and writes when there are many. Two rows for one symbol and date are written in order, so the later one counts.
  private mutating func add(_ bar: Bar) throws(HistoryError) {
    let key = Key(symbol: bar.symbol, time: bar.time)
    if bars.count >= Self.chunk || keys.contains(key) { try write() }
    keys.insert(key)
    bars.append(bar)
  }

  private mutating func write() throws(HistoryError) {
    if bars.isEmpty { return }
    let writer: HistoryWriter
    if let known = self.writer { writer = known } else { writer = try open() }
    self.writer = writer
    var batch = HistoryBatch()
    for (bar, comparison) in zip(bars, try writer.compare(bars)) {
      switch comparison {
      case .new: totals.new += 1
      case .different: totals.replaced += 1
      case .same: totals.same += 1
      case .superseded: totals.superseded += 1
      }
      if comparison == .new || comparison == .different { batch.add(bar) }
    }
    _ = try writer.write(batch)
    bars.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
  }
}
