import StockbusConfig
import StockbusPlugin
import Testing

@testable import StockbusInstruments

@Suite struct CalendarOptionsTests {
  /// The problems of a calendar that is written in YAML, without the file's name.
  private static func problems(_ yaml: String) -> [String] {
    do throws(Problems) {
      _ = try CalendarOptions.decode(try YAMLParser.node(yaml, file: "c"), at: .init(file: "c", line: 1, column: 1))
      return []
    } catch { return error.sorted.map { "\($0.mark.line):\($0.mark.column) \($0.message)" } }
  }

  @Test func `the declarations are sound`() { #expect(CalendarOptions.verify() == []) }

  @Test func `every problem is reported at its place`() {
    #expect(
      Self.problems(
        """
        zone: America/Chicgo
        sessions:
          - { from: 09:30, to: 16:00 }
          - { days: [sat, san], from: 9:30, to: 24:01, kind: night }
        holidays: [2024-02-30, 1500-01-01]
        early_closes: [2024-11-29, 2024-11-29 13:60]
        """) == [
          "4:19 'sessions[1].days[1]' must be days of the week such as mon or mon-fri, got 'san'; days are mon, tue, wed, thu, fri, sat and sun",
          "4:31 'sessions[1].from' must be a time of day such as 09:30, got '9:30'; write two digits for each part, such as 09:30",
          "4:41 'sessions[1].to' must be a time of day such as 09:30, got '24:01': the latest is 24:00",
          "4:54 'sessions[1].kind' must be one of pre, regular, post, got 'night'",
          "5:12 'holidays[0]' must be a date such as 2013-10-08, got '2024-02-30'",
          "5:24 'holidays[1]' must be a date such as 2013-10-08, got '1500-01-01': dates are from 1678 to 2261",
          "6:16 'early_closes[0]' must be a date with a time of day such as 2024-11-29 13:00, got '2024-11-29'",
          "6:28 'early_closes[1]' must be a date with a time of day such as 2024-11-29 13:00, got '2024-11-29 13:60': a minute or second is at most 59",
        ])
  }

  @Test func `what no session alone can show is reported too`() {
    #expect(
      Self.problems(
        """
        zone: America/Chicgo
        sessions:
          - { from: 09:30, to: 16:00 }
          - { days: fri, kind: post, from: 15:59, to: 20:00 }
          - { days: [sat, sun], from: "17:00", to: "16:00" }
        holidays: [2024-12-25, 2024-12-25]
        early_closes: [2024-12-25 13:00, 2024-11-29 09:30, 2024-12-24 13:00, 2024-12-24 14:00]
        late_opens: [2024-12-24 13:00, 2024-12-23 10:00]
        """) == [
          "1:1 'zone': unknown time zone 'America/Chicgo'; did you mean 'America/Chicago'?",
          "4:5 the session overlaps with number 1",
          "5:5 the session overlaps with number 2",
          "6:24 2024-12-25 is written twice",
          "7:16 2024-12-25 is a holiday",
          "7:34 no regular session of 2024-11-29 can end at 09:30",
          "7:70 2024-12-24 is written twice",
          "8:14 no regular session of 2024-12-24 can begin at 13:00",
        ])
    #expect(Self.problems("sessions: [{ kind: pre, from: 04:00, to: 09:30 }]") == ["1:1 there must be a regular session"])
    #expect(
      Self.problems("sessions: [{ from: 24:00, to: 00:00 }]") == [
        "1:14 'sessions[0]': a session begins before 24:00",
        "1:27 'sessions[0]': a session ends on its day, after 00:00; write 24:00 for the midnight after it",
      ])
  }

  @Test func `sessions of different dates do not overlap, those of the same date do`() {
    let days = "{ from: 09:00, to: 15:00, until: 2024-11-04 }, { from: 09:00, to: 15:30, since: 2024-11-05 }"
    #expect(Self.problems("sessions: [\(days)]") == [])
    #expect(
      Self.problems("sessions: [\(days), { kind: post, from: 15:00, to: 16:00, since: 2024-11-01 }]")
        == ["1:106 the session overlaps with number 2"])
    #expect(
      Self.problems("sessions: [{ from: 09:00, to: 15:00, since: 2024-11-05, until: 2024-11-04 }]")
        == ["1:57 'sessions[0]': its last date is before its first one, 2024-11-05"])
    // Tuesday's session begins on Monday evening, when Monday's old one is not over.
    let evenings = "{ from: 09:00, to: 22:00, until: 2024-11-04 }, { from: 21:00, to: 20:00, since: 2024-11-05 }"
    #expect(Self.problems("sessions: [\(evenings)]") == ["1:59 the session overlaps with number 1"])
    #expect(
      Self.problems("sessions: [{ from: 09:00, to: 15:00, since: 2024-11-05 }]\nearly_closes: [2024-11-04 13:00]")
        == ["2:16 2024-11-04 is a monday, which has no regular session"])
  }

  @Test func `an overnight session of each day is no overlap with itself`() {
    #expect(Self.problems("sessions: [{ days: mon-sun, from: 18:00, to: 18:00 }]") == [])
    #expect(Self.problems("sessions: [{ days: mon-sun, from: 00:00, to: 24:00 }]") == [])
  }
}
