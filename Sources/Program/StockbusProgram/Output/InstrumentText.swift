import StockbusInstruments
import StockbusPlugin

/// Instruments as text: a table, JSON lines, or CSV that can be read as a file of instruments.
enum InstrumentText {
  private static let columns = [
    "symbol", "name", "kind", "industry", "venue", "tick_size", "lot", "multiplier", "currency", "calendar", "splits",
  ]

  /// One line for each instrument, and a header where the format has one.
  static func lines(_ instruments: [Instrument], _ format: PrintFormat, width: Int?) -> [String] {
    Records.lines(columns, instruments.map(cells), numbers: ["tick_size", "lot", "multiplier"], format, width: width) { place in
      .array(instruments[place].splits.map { .string($0.optionText) })
    }
  }

  /// A multiplier of 1 is the usual one, and left out.
  private static func cells(_ instrument: Instrument) -> [String] {
    [
      instrument.symbol.description, instrument.name, instrument.kind == .other ? "" : instrument.kind.rawValue, instrument.industry,
      instrument.venue, instrument.tickSize?.description ?? "", instrument.lot?.description ?? "",
      instrument.multiplier == 1 ? "" : instrument.multiplier.description, instrument.currency, instrument.calendar,
      instrument.splits.map(\.optionText).joined(separator: "; "),
    ]
  }
}

/// The sessions of a week as text.
enum SessionText {
  private static let columns = ["date", "day", "session", "start", "end", "start_utc", "end_utc"]

  /// One line for each session of the week of `date`, and one for each day without.
  static func lines(ofWeek date: TradingDate, _ calendar: TradingCalendar, _ format: PrintFormat, width: Int?) -> [String] {
    var rows: [[String]] = []
    for day in 0..<7 {
      let date = date.monday.advanced(by: day)
      let sessions = calendar.sessions(of: date)
      let head = [date.description, date.weekday.word]
      if sessions.isEmpty { rows.append(head + ["closed", "", "", "", ""]) }
      for session in sessions {
        let (start, end) = (session.time.lowerBound, session.time.upperBound)
        rows.append(
          head + [session.kind.word, local(start, calendar.clock), local(end, calendar.clock), start.description, end.description])
      }
    }
    return Records.lines(columns, rows, numbers: [], format, width: width)
  }

  /// By the clock of the exchange, with its offset: `2024-11-29T09:30:00-05:00`.
  private static func local(_ time: Timestamp, _ clock: ExchangeClock) -> String {
    let offset = clock.offset(at: Int(time.ns / 1_000_000_000))
    let (ns, overflow) = time.ns.addingReportingOverflow(Int64(offset) * 1_000_000_000)
    return overflow ? time.description : Timestamp(ns: ns).description.dropLast() + DisplayZone.text(ofOffset: offset)
  }
}

/// Rows of named cells in the formats of `print`.
private enum Records {
  /// - Parameters:
  ///   - numbers: the columns that are numbers in JSON. Empty cells are left out there.
  ///   - list: the value of the last column in JSON, for the row with this number; nil if the column is text like the others.
  static func lines(
    _ columns: [String], _ rows: [[String]], numbers: Set<String>, _ format: PrintFormat, width: Int?, list: ((Int) -> JSONValue)? = nil
  ) -> [String] {
    switch format {
    case .table:
      // A column in which every cell is empty is left out.
      let used = columns.indices.filter { i in i == 0 || rows.contains { !$0[i].isEmpty } }
      let cells = rows.map { row in used.map { row[$0].isEmpty ? "-" : visible(row[$0], limit: 200) } }
      return TextTable(rows: [used.map { columns[$0].uppercased() }] + cells).lines(width: width)
    case .csv:
      return [columns.joined(separator: ",")] + rows.map { $0.map(quoted).joined(separator: ",") }
    case .json:
      return rows.enumerated().map { number, row in
        let members = zip(columns, row).compactMap { name, cell -> JSONValue.Member? in
          if cell.isEmpty { return nil }
          if name == columns.last, let list { return .init(name, list(number)) }
          return .init(name, numbers.contains(name) ? .number(cell) : .string(cell))
        }
        return JSONValue.object(members).description
      }
    }
  }

  private static func quoted(_ cell: String) -> String {
    cell.contains { "\",\n\r".contains($0) } ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
  }
}
