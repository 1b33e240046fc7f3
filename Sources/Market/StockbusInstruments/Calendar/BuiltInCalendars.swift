package import StockbusFiles

extension TradingCalendar {
  /// `24/7`: one regular session for each day of UTC, as crypto-currencies trade.
  package static let always = TradingCalendar(
    "24/7", clock: .utc, week: Weekday.allCases.map { _ in DayPlan(sessions: [.init(kind: .regular, start: 0, end: 86_400)]) })

  private static let usEquities: Result<TradingCalendar, ZoneProblem> = {
    do throws(ZoneProblem) { return .success(try USEquities.calendar()) } catch { return .failure(error) }
  }()

  /// The names of the calendars that need no configuration.
  package static let builtInNames = ["24/7", USEquities.name]

  /// The built-in calendar with this name; nil if there is none. Created at the first request. Throws if the system lacks its time zone.
  package static func builtIn(_ name: String) throws(ZoneProblem) -> TradingCalendar? {
    switch name {
    case "24/7": always
    case USEquities.name: try usEquities.get()
    default: nil
    }
  }
}
