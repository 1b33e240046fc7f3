import Foundation
import MarketData
import StockbusPlugin
import Testing

@testable import StockbusInstruments

/// A time in ISO-8601 with a zone.
func time(_ text: String) -> Timestamp { (try? Timestamp(iso8601: text)) ?? Timestamp(ns: 0) }

/// A date, such as `2024-11-29`.
func date(_ text: String) -> TradingDate { (try? TradingDate(option: text)) ?? TradingDate(days: 0) }

/// `2024-11-29T14:30:00Z to 2024-11-29T18:00:00Z`.
func text(_ range: Range<Timestamp>?) -> String? { range.map { "\($0.lowerBound) to \($0.upperBound)" } }

/// `pre 2024-11-29 2024-11-29T09:00:00Z to 2024-11-29T14:30:00Z`.
func text(_ span: SessionSpan) -> String { "\(span.kind) \(span.date) \(span.start) to \(span.end)" }

func usEquities() throws -> TradingCalendar { try #require(try TradingCalendar.builtIn("us_equities")) }

/// Futures in Chicago: from 17:00 on the evening before to 16:00, with a pause of an hour.
func futures(_ change: (inout CalendarOptions) -> Void = { _ in }) throws -> TradingCalendar {
  var session = SessionOptions()
  session.from = try TimeOfDay(option: "17:00")
  session.to = try TimeOfDay(option: "16:00")
  var options = CalendarOptions()
  options.zone = "America/Chicago"
  options.sessions = [session]
  change(&options)
  return try options.calendar("futures")
}
