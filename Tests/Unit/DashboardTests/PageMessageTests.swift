import StockbusViewing
import Testing

@testable import Dashboard

@Suite struct PageMessageTests {
  @Test func `what a page may say`() throws {
    #expect(try PageMessage(#"{"op":"hello","epoch":"9f","cursor":412}"#) == .hello(epoch: "9f", cursor: 412))
    #expect(try PageMessage(#"{"op":"hello","epoch":null,"cursor":0}"#) == .hello(epoch: nil, cursor: 0))
    #expect(
      try PageMessage(#"{"op":"pane","pane":0,"view":{"filter":"price > 1","sort":"change","descending":true},"from":5,"count":60}"#)
        == .pane(0, RowQuery(filter: "price > 1", sorting: Sorting(.change, isDescending: true)), 5..<65))
    #expect(try PageMessage(#"{"op":"pane","pane":3,"view":{"symbols":["A"]}}"#) == .pane(3, RowQuery(symbols: ["A"]), 0..<100))
    #expect(try PageMessage(#"{"op":"pane","pane":1,"view":null}"#) == .pane(1, nil, 0..<0))
    #expect(try PageMessage(#"{"op":"symbol","symbol":null}"#) == .symbol(nil))
    #expect(try PageMessage(#"{"op":"ready","frame":7}"#) == .ready(frame: 7))
    #expect(try PageMessage(#"{"op":"run","on":true}"#) == .run(isOn: true))
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"op":7}"#, #"{"op":"go"}"#, #"{"op":"ready"}"#, #"{"op":"pane","pane":4,"view":{}}"#, #"{"op":"pane","view":{}}"#,
    #"{"op":"pane","pane":0,"view":{},"from":-1}"#, #"{"op":"pane","pane":0,"view":{},"count":1001}"#,
    #"{"op":"pane","pane":0,"view":{},"from":2147483647,"count":1}"#, #"{"op":"pane","pane":0,"view":{"sort":"trend"}}"#,
    #"{"op":"hello","cursor":-1}"#, #"{"op":"hello","cursor":4294967296}"#,
  ])
  func `what it may not say`(text: String) {
    #expect(throws: PageMessage.Fault.self) { try PageMessage(text) }
  }

  @Test func `texts and lists have limits`() {
    let long = String(repeating: "a", count: PageMessage.longestText + 1)
    #expect(throws: PageMessage.Fault.self) { try PageMessage(#"{"op":"pane","pane":0,"view":{"filter":"\#(long)"}}"#) }
    let many = (0...PageMessage.mostSymbols).map { "\"\($0)\"" }.joined(separator: ",")
    #expect(throws: PageMessage.Fault.self) { try PageMessage(#"{"op":"pane","pane":0,"view":{"symbols":[\#(many)]}}"#) }
  }

  @Test func `addresses to listen on`() {
    #expect(ListenAddress("127.0.0.1:8080")?.isLoopback == true)
    #expect(ListenAddress("localhost:0")?.port == 0)
    #expect(ListenAddress("[::1]:443")?.host == "::1")
    #expect(ListenAddress("0.0.0.0:80")?.isLoopback == false)
    #expect(ListenAddress("127.0.0.1.example.com:80")?.isLoopback == false)
    for text in ["8080", ":80", "a:b", "::1:80", "host:65536", "ho st:1", "a/b:1"] { #expect(ListenAddress(text) == nil, "\(text)") }
    #expect(ListenAddress("[::1]:0")?.address(port: 9, isSecure: false) == "http://[::1]:9/")
  }

  /// The page's own spelling is read without a decoder, and means the same.
  @Test func `ready is read in every spelling`() throws {
    for frame in ["0", "1", "9", "10", "4294967295"] {
      for text in [#"{"op":"ready","frame":\#(frame)}"#, #"{"frame":\#(frame),"op":"ready"}"#, #"{"op":"ready", "frame":\#(frame) }"#] {
        #expect(try PageMessage(text) == .ready(frame: try #require(UInt32(frame))), "\(text)")
      }
    }
    for bad in ["4294967296", "99999999999", "01", "-1", "1x", "", "\u{0}"] {
      #expect(throws: PageMessage.Fault.self, "\(bad)") { try PageMessage(#"{"op":"ready","frame":\#(bad)}"#) }
    }
  }
}
