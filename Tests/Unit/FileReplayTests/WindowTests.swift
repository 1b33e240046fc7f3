import Foundation
import MarketData
import StockbusPlugin
import Testing

@testable import FileReplay

/// The options `from` and `until` of a replay.
@Suite struct WindowTests {
  /// The times that the options give, or the errors.
  private func window(_ options: String) -> [String] {
    let mark = ConfigNode.Mark(line: 1, column: 1)
    func scalar(_ text: String) -> ConfigNode { ConfigNode(.scalar(text), at: mark) }
    var entries = [ConfigNode.Entry(key: "path", mark: mark, value: scalar("x"))]
    for option in options.components(separatedBy: ", ") {
      let words = option.components(separatedBy: ": ")
      entries.append(.init(key: words[0], mark: mark, value: scalar(words[1].replacing("'", with: ""))))
    }
    do {
      let read = try FileReplaySettings.decode(ConfigNode(.map(entries), at: mark), at: mark).options
      return [read.from, read.until].map { $0.map { "\($0)" } ?? "-" }
    } catch { return error.list.map(\.message) }
  }

  @Test func `a time without an offset is in the zone, in UTC where there is none`() {
    // New York is four hours behind in October, five in January.
    #expect(window("from: 2013-10-08 09:45, zone: America/New_York") == ["2013-10-08T13:45:00Z", "-"])
    #expect(
      window("from: 2013-01-08T09:45:00.5, until: 2013-01-08 16:00, zone: America/New_York")
        == ["2013-01-08T14:45:00.500Z", "2013-01-08T21:00:00Z"])
    #expect(window("from: 2013-10-08 09:45, until: '2013-10-09'") == ["2013-10-08T09:45:00Z", "2013-10-09T00:00:00Z"])
    #expect(window("from: '2013-10-08', zone: America/New_York") == ["2013-10-08T04:00:00Z", "-"])
    #expect(window("from: 1969-12-31 18:59:59.25, zone: America/New_York") == ["1969-12-31T23:59:59.250Z", "-"])
    #expect(window("from: 1969-12-31, zone: Europe/Berlin") == ["1969-12-30T23:00:00Z", "-"])
    // With an offset no zone is needed.
    #expect(
      window("from: 2013-10-08T09:45:00Z, until: 2013-10-08 12:00+01:00, zone: America/New_York")
        == ["2013-10-08T09:45:00Z", "2013-10-08T11:00:00Z"])
  }

  @Test func `where clocks go forward a time is missing, where they go back the first of two is meant`() {
    #expect(
      window("from: 2024-03-10 02:30, zone: America/New_York")
        == ["'from': 2024-03-10T02:30:00 does not exist in America/New_York: clocks go forward"])
    #expect(window("from: 2024-11-03 01:30, zone: America/New_York") == ["2024-11-03T05:30:00Z", "-"])
    #expect(window("until: 2024-11-03 01:30-05:00, zone: America/New_York") == ["-", "2024-11-03T06:30:00Z"])
    // Clocks went forward at midnight here, so the day began at one.
    #expect(window("from: '2018-11-04', zone: America/Sao_Paulo") == ["2018-11-04T03:00:00Z", "-"])
    #expect(
      window("from: 2262-04-11 23:00, zone: America/New_York")
        == ["'from': 2262-04-11T23:00:00 is out of range in America/New_York"])
  }

  @Test func `the end comes after the beginning, wherever they were written`() {
    #expect(
      window("from: 2013-10-08 09:45, until: 2013-10-08T13:00:00Z, zone: America/New_York")
        == ["'from' (2013-10-08T13:45:00Z) must be before 'until' (2013-10-08T13:00:00Z)"])
    #expect(window("from: soon").first?.contains("must be a time such as 2013-10-08T13:30:00Z, 2013-10-08 09:30 or 2013-10-08") == true)
  }

  @Test func `raw captures take the zone for their window and for nothing else`() {
    #expect(window("preset: binance, from: 2021-04-17 12:00, zone: America/New_York") == ["2021-04-17T16:00:00Z", "-"])
    #expect(window("preset: binance, zone: America/New_York") == ["'zone' is not for raw captures"])
  }
}
