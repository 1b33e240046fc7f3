import MarketData
import StockbusPlugin
import StockbusText
import Testing

@testable import StockbusNetwork

@Suite struct HTTPValueTests {
  @Test(arguments: [
    ("https://Example.COM", "https://example.com"), ("http://example.com:80/a?b=s3cret", "http://example.com"),
    ("https://example.com:8443/a", "https://example.com:8443"), ("https://[2001:db8::1]:444/", "https://[2001:db8::1]:444"),
  ])
  func `an address shows its origin and nothing behind it`(text: String, origin: String) throws {
    let address = try WebAddress(text)
    #expect(address.origin == origin)
    #expect("\(address)" == origin && String(reflecting: address) == origin)
    var dumped = ""
    dump(address, to: &dumped)
    #expect(!dumped.contains("s3cret"))
  }

  @Test(arguments: [
    "", "example.com", "ftp://example.com", "file:///etc/passwd", "https://", "https:///path", "https://user:word@example.com",
    "https://user@example.com", "https://example.com:0", "https://example.com:99999", "https://example.com/a b",
    "https://example.com/\r\nX: y", "https://exämple.com", "unix:///run/x",
  ])
  func `what is no web address is refused without being repeated`(text: String) {
    do {
      _ = try WebAddress(text)
      Issue.record("accepted")
    } catch { #expect(error.code == .badAddress && (text.count < 8 || !error.description.contains(text))) }
  }

  @Test(arguments: [
    ("https://a.test/x/y", 302, "/z", "https://a.test/z"), ("https://a.test/x/y", 301, "z?q#f", "https://a.test/x/z?q"),
    ("http://a.test/", 307, "https://b.test/", "https://b.test/"), ("http://a.test/", 308, "//b.test:81/c", "http://b.test:81/c"),
  ])
  func `a redirect is read against the address before`(from: String, status: Int, location: String, to: String) throws {
    let request = HTTPRequest(.get, try WebAddress(from))
    let next = try Redirect.next(after: request, status: status, location: location, secrets: []).address
    #expect(next.origin + next.target == to)
  }

  @Test(arguments: ["http://a.test/", "ftp://a.test/", "https://u:p@b.test/", "", "#here", "https://b.test/\n"])
  func `a redirect never leaves https, and leads to an address`(location: String) throws {
    let request = HTTPRequest(.get, try WebAddress("https://a.test/"))
    #expect(throws: HTTPError.self) { try Redirect.next(after: request, status: 302, location: location, secrets: []) }
  }

  @Test(arguments: [
    (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"), (307, "POST", "POST"), (308, "PUT", "PUT"),
    (301, "PUT", "PUT"), (303, "HEAD", "HEAD"),
  ])
  func `a redirect changes the method as RFC 9110 says`(status: Int, method: String, next: String) throws {
    let request = HTTPRequest(
      try #require(HTTPRequest.Method(rawValue: method)), try WebAddress("https://a.test/"), body: Array("x".utf8))
    let following = try Redirect.next(after: request, status: status, location: "/b", secrets: [])
    #expect(following.method.rawValue == next)
    #expect(following.body.isEmpty == (next == "GET"))
  }

  @Test func `no header can end its line`() {
    var fields = HTTPFields()
    for (name, value) in [
      ("A\r\nB", "x"), ("A B", "x"), ("", "x"), ("A:", "x"), ("Ä", "x"), ("A", "x\r\nB: y"), ("A", "x\u{0}"), ("A", "\u{7f}"),
    ] {
      #expect(throws: HTTPError.self) { try fields.set(name, value) }
    }
    #expect(fields.names.isEmpty)
  }

  @Test func `a header is found whatever its case, and set once`() throws {
    var fields = HTTPFields()
    try fields.set("Accept", "a")
    try fields.set("X", "b")
    try fields.set("ACCEPT", "c\td é")
    #expect(fields["accept"] == "c\td é")
    #expect(fields.names == ["X", "ACCEPT"])
    fields.remove("x")
    #expect(fields.names == ["ACCEPT"])
  }

  @Test(arguments: [
    ("0", 0), ("17", 17_000), (" 120 ", 120_000), ("0008", 8_000), ("2.75", 2_750), ("0.05", 50), ("3.0", 3_000),
    ("1.2345678901234567890", 1_234), ("86400", 86_400_000), ("Sun, 06 Nov 1994 08:49:37 GMT", 37_000),
    ("Sunday, 06-Nov-94 08:49:37 GMT", 37_000), ("Sun Nov  6 08:49:37 1994", 37_000), ("Sun, 06 Nov 1994 08:48:00 GMT", 0),
    ("Mon, 07 Nov 1994 08:49:00 GMT", 86_400_000),
    // A day is the longest, whatever is asked for.
    ("86401", 86_400_000), ("31536000", 86_400_000), ("99999999999999999999", 86_400_000), ("99999999999.5", 86_400_000),
    ("Sun, 06 Nov 2094 08:49:37 GMT", 86_400_000), ("999999999", 86_400_000), ("10000000000", 86_400_000),
  ])
  func `Retry-After is seconds or one of three forms of date`(value: String, milliseconds: Int) throws {
    let now = try Timestamp(iso8601: "1994-11-06T08:49:00Z")
    let pause = try #require(RetryAfter(value, now: now)).pause
    #expect(pause.wholeNanoseconds / 1_000_000 == milliseconds)
  }

  @Test(arguments: [
    "", "soon", "-5", ".5", "5.", "1.5.2", "1e3", "2,75", "8 s", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "06 Nov 1994", "Sun, 06 Nov 9999 08:49:37 GMT",
  ])
  func `what is neither is no pause`(value: String) { #expect(RetryAfter(value, now: Timestamp(ns: 0)) == nil) }

  @Test func `a date counts from the response's own date, because the server's clock may be another one`() throws {
    // The run's clock is an hour behind the server's.
    let now = try Timestamp(iso8601: "1994-11-06T07:49:00Z")
    var response = HTTPResponse(status: 503)
    try response.fields.set("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(response.retryAfter(now: now)?.pause == .seconds(3637))
    try response.fields.set("Date", "Sun, 06 Nov 1994 08:49:30 GMT")
    #expect(response.retryAfter(now: now)?.pause == .seconds(7))
    try response.fields.set("Date", "yesterday")
    #expect(response.retryAfter(now: now)?.pause == .seconds(3637))
    // 06:00:30 in seconds since 1970, as some venues send it.
    let later = try Timestamp(iso8601: "2024-11-04T06:00:00Z")
    #expect(RetryAfter("1730700030", now: later)?.pause == .seconds(30))
    #expect(RetryAfter("1730699000", now: later)?.pause == .zero)
    response.fields.remove("Retry-After")
    #expect(response.retryAfter(now: now) == nil)
  }

  @Test func `how long a server asks to wait is said, and how long that lasts at most`() {
    #expect("\(RetryAfter(.seconds(8)))" == "asked to wait 8 s")
    #expect("\(RetryAfter(.milliseconds(2750)))" == "asked to wait 2.75 s")
    #expect("\(RetryAfter(.milliseconds(50)))" == "asked to wait 0.05 s")
    #expect("\(RetryAfter(.seconds(31_536_000)))" == "asked to wait 31536000 s, which waits 86400 s at most")
  }

  private static let proxies: [(String, [String: String], String?)] = [
    ("https://a.test", ["https_proxy": "http://p:8080"], "p:8080"), ("https://a.test", ["HTTPS_PROXY": "p"], "p:3128"),
    ("http://a.test", ["http_proxy": "[::1]:99/"], "::1:99"), ("http://a.test", ["HTTP_PROXY": "p:1"], nil),
    ("http://a.test", ["all_proxy": "http://u:w@p:2"], "p:2"), ("http://a.test", ["http_proxy": "socks5://p:2"], nil),
    ("https://a.test", ["https_proxy": "p:1", "no_proxy": "b.test, .test"], nil),
    ("https://a.test", ["https_proxy": "p:1", "no_proxy": "test2,xa.test"], "p:1"),
    ("https://a.test", ["https_proxy": "p:1", "NO_PROXY": "*"], nil), ("https://a.test", ["https_proxy": "p:x"], nil),
    ("https://a.test", ["https_proxy": ""], nil), ("https://a.test", [:], nil),
  ]

  @Test(arguments: proxies)
  func `a proxy is found as curl finds it`(address: String, environment: [String: String], expected: String?) throws {
    let proxy = EnvironmentProxy(for: try WebAddress(address), in: environment)
    #expect(proxy.map { "\($0.host):\($0.port)" } == expected)
  }

  @Test func `Base64 is that of RFC 4648`() {
    for (text, code) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ] {
      #expect(Base64.encode(Array(text.utf8)) == code)
      #expect(Base64.decode(code) == Array(text.utf8))
    }
    for bad in ["Z", "Zg=", "Zg==Zg==", "Zm9v!", "Zm-v", "===="] { #expect(Base64.decode(bad) == nil) }
    var random = RandomStream(seed: 3)
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
  }
}
