import Foundation
import Logging
import MarketData
import StockbusPlugin
import Testing

@testable import StockbusProgram

/// Log lines for people and for programs.
@Suite struct LogFormatTests {
  private func line(
    _ format: LogFormat, _ message: String, component: String? = "echo", _ more: [(name: String, value: String)] = []
  ) throws -> String {
    let time = Timestamp(ns: 1_381_239_000_012_000_000)
    return format.line(.warning, message, component: component, more, at: time, zone: .utc)
  }

  @Test func `a line for people has the time of day`() throws {
    #expect(try line(.text, "cut\noff", [("attempt", "2")]).hasSuffix("warning echo: cut\\noff (attempt 2)"))
    #expect(try line(.text, "cut").hasPrefix("13:30:00"))
    #expect(try line(.text, "cut", component: nil).hasSuffix("warning cut"))
  }

  @Test func `a line for programs is an object with the time in UTC`() throws {
    #expect(
      try line(.json, "a \"b\"\n\u{1b}[31m", [("attempt", "2")])
        == #"{"time":"2013-10-08T13:30:00.012Z","level":"warning","component":"echo","message":"a \"b\"\n\u001b[31m","attempt":"2"}"#)
    #expect(try line(.json, "m", component: nil) == #"{"time":"2013-10-08T13:30:00.012Z","level":"warning","message":"m"}"#)
  }

  @Test func `what belongs to a message cannot stand for another member, and nothing is too long`() throws {
    let more = [("level", "none"), ("component", "other"), ("time", "never"), ("why", "x")]
    let text = try line(.json, String(repeating: "é", count: 5000), more)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
    #expect(object.keys.sorted() == ["component", "level", "message", "time", "why"])
    #expect(object["component"] == "echo" && object["level"] == "warning")
    #expect(try #require(object["message"]).utf8.count <= 4003)
  }
}
