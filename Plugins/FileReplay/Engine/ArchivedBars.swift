internal import MarketData
internal import StockbusFiles
internal import StockbusPlugin

/// The bars of a history file, in the order in which they ended.
struct ArchivedBars {
  private let name: String
  private let more: BarArchive.Reader
  private let until: Timestamp?
  private var bars: ArraySlice<Bar> = []
  private var isOver = false
  private(set) var counts = ReplayCounts()

  /// Throws if it cannot be read, or if its bars are not the wanted events.
  init<E: ReplayEvent>(
    of _: E.Type, _ open: () throws(PastFault) -> BarArchive.Reader, name: String, _ options: ReplayOptions
  ) throws(ReplayError) {
    if let fault = HistoryFile.fault(name, as: E.fields) {
      throw ReplayError(code: .unsupported, file: name, place: nil, message: fault)
    }
    self.name = name
    until = options.until
    more = try Self.reading(name, open)
  }

  /// Appends as many of the next bars as there is room for, and returns their number; 0 only at the end, or without room.
  mutating func next<E>(into events: inout OutputSpan<E>) throws(ReplayError) -> Int {
    let before = events.count
    while !events.isFull {
      if bars.isEmpty, !isOver {
        do throws(ReplayError) { bars = try Self.reading(name, more)[...] } catch {
          isOver = true
          throw error
        }
        isOver = bars.isEmpty
      }
      guard let bar = bars.popFirst() else { break }
      if until.map({ bar.time >= $0 }) ?? false {
        counts.outside += 1
      } else if let event = bar as? E {
        counts.events += 1
        events.append(event)
      }
    }
    return events.count - before
  }

  private static func reading<Value>(_ name: String, _ body: () throws(PastFault) -> Value) throws(ReplayError) -> Value {
    do throws(PastFault) { return try body() } catch {
      throw ReplayError(code: .unsupported, file: name, place: nil, message: error.predicate)
    }
  }
}

/// What shows that a file is a history, whatever its name: it is a database.
enum HistoryFile {
  static let magic = Array("SQLite format 3\0".utf8)
  /// `stkb`, the application id at byte 68.
  private static let mark: [UInt8] = [0x73, 0x74, 0x6b, 0x62]

  static func isOne(_ path: String) -> Bool { isOpen(path) || head(of: path) != nil }

  /// True if it is a database that somebody has open. It is not to be opened then: closing a descriptor of this process drops the locks
  /// that its connections have.
  private static func isOpen(_ path: String) -> Bool { InputDescriptor.plainSize(of: path + "-wal") != nil }

  /// The bytes up to the end of the mark; nil if it is no database.
  private static func head(of path: String) -> [UInt8]? {
    // Pipes and standard input are not opened: what is read there is gone.
    guard InputDescriptor.plainSize(of: path) != nil, var bytes = try? RawBytes(.head(path, 72), name: path),
      let head = try? bytes.peek(72), head.starts(with: magic)
    else { return nil }
    return head
  }

  /// Why a database has no events with these fields, as far as its head shows; nil if it has.
  static func fault(_ path: String, as fields: [ReplayField]) -> String? {
    if !isOpen(path), let head = head(of: path), head.count < 72 || head.suffix(4) != mark[...] {
      return "is a database, and no history of this program"
    }
    return fields == Bar.fields ? nil : "is a history, whose events are bars: set 'event: bar'"
  }
}
