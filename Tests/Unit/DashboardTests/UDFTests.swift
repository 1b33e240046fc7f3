import MarketData
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import Dashboard
@testable import StockbusWeb

/// Symbols and bars as charting programs ask for them.
@Suite struct UDFTests {
  private let harness = PluginHarness(id: "web")
  private let dashboard: Dashboard
  private let responder: WebResponder

  /// Three one-minute bars of AAPL that begin at 60, 120 and 180 s, with two decimals; values worked out by hand.
  init() async throws {
    var settings = DashboardSettings()
    settings.listen = "127.0.0.1:0"
    settings.file = "-"
    dashboard = try Dashboard(settings, harness.context)
    let limits = WebLimits()
    responder = WebResponder(
      routes: try await dashboard.routes(), names: .loopback, proxies: [], isSecure: false, limits: limits, roll: WebRoll(limits))
    let bars = (1...3).map { minute in
      let time = Timestamp(ns: Int64(minute) * 60_000_000_000)
      let open = Price(raw: Int64(minute) * 100_000_000_000)
      return Bar(
        symbol: "AAPL", open: open, high: Price(raw: open.raw + 500_000_000), low: Price(raw: open.raw - 250_000_000), close: open,
        volume: Quantity(raw: 1_500_000_000), time: time, received: time, priceDecimals: 2, sizeDecimals: 1, length: .time(60_000_000_000))
    }
    await dashboard.show(bars)
  }

  private func ask(_ path: String) async throws -> (status: Int, text: String) {
    var fields = WebFields()
    fields.add("Origin", "http://localhost")
    let target = try #require(WebTarget(path))
    let request = WebRequest(.get, target, fields: fields, body: [], from: WebClient(address: "a", origin: "http://localhost"))
    guard case .answer(let response) = await responder.respond(request) else { return (0, "") }
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  @Test func `bars come by columns, and every digit is there`() async throws {
    let whole = try await ask("/api/udf/history?symbol=AAPL&resolution=1&from=0&to=1000")
    #expect(
      whole == (
        200,
        #"{"s":"ok","t":[60,120,180],"o":[100.00,200.00,300.00],"h":[100.50,200.50,300.50],"l":[99.75,199.75,299.75],"c":[100.00,200.00,300.00],"v":[1.5,1.5,1.5]}"#
      ))
    // `to` is not included, `from` is; a number of bars counts back from `to`.
    #expect(try await ask("/api/udf/history?symbol=AAPL&resolution=1&from=120&to=180").text.contains(#""t":[120],"#))
    #expect(try await ask("/api/udf/history?symbol=AAPL&resolution=1&from=170&to=180&countback=2").text.contains(#""t":[60,120],"#))
    // Weeks begin on Monday: this one three days before 1970.
    #expect(try await ask("/api/udf/history?symbol=AAPL&resolution=W").text.contains(#""t":[-259200],"o":[100.00],"h":[300.50]"#))
    #expect(try await ask("/api/udf/history?symbol=AAPL&resolution=1&from=500&to=600") == (200, #"{"s":"no_data","nextTime":180}"#))
    #expect(try await ask("/api/udf/history?symbol=AAPL&resolution=1&from=0&to=10") == (200, #"{"s":"no_data","nextTime":null}"#))
  }

  @Test(arguments: [
    ("history?symbol=NONE&resolution=1", 404, "unknown symbol"), ("symbols?symbol=NONE", 404, "unknown symbol"),
    ("history?symbol=AAPL&resolution=7", 400, "'resolution' must be one of 1S, 1, 5, 15, 60, 1D, 1W"),
    ("history?symbol=AAPL&resolution=1&from=x", 400, "'from' and 'to' are seconds since 1970"),
    ("history?symbol=AAPL&resolution=1&from=9&to=8", 400, "'from' and 'to' are seconds since 1970"),
    ("search?limit=x", 400, "'limit' must be a number"),
    ("history?symbol=AAPL&resolution=1&countback=0", 400, "'countback' must be a number above 0"),
  ])
  func `errors are told in the form of the format`(path: String, status: Int, message: String) async throws {
    #expect(try await ask("/api/udf/" + path) == (status, #"{"s":"error","errmsg":"\#(message)"}"#))
  }

  @Test func `a symbol has its scale, and search and time answer`() async throws {
    let symbol = try await ask("/api/udf/symbols?symbol=AAPL").text
    #expect(symbol.contains(#""pricescale":100,"#) && symbol.contains(#""timezone":"Etc/UTC","session":"24x7""#), "\(symbol)")
    #expect(
      try await ask("/api/udf/search?query=aap").text
        == #"[{"symbol":"AAPL","full_name":"AAPL","ticker":"AAPL","description":"","exchange":"","type":""}]"#)
    #expect(try await ask("/api/udf/search?query=aap&type=crypto").text == "[]")
    #expect(try await ask("/api/udf/time").text == "\(harness.clock.now.ns / 1_000_000_000)")
    #expect(try await ask("/api/udf/config").text.hasPrefix(#"{"supported_resolutions":["1S","1","5","15","60","1D","1W"],"#))
  }
}

extension Dashboard { fileprivate func show(_ bars: [Bar]) { push.board.take(bars.span, at: now) } }
