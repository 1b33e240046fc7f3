import NIOCore
import SeededRandom
import Testing

@testable import StockbusWeb

/// Requests as bytes: what is read, what is refused, and that it does not depend on how they are cut.
@Suite(.timeLimit(.minutes(15))) struct RequestReaderTests {
  private static var limits: WebLimits {
    var limits = WebLimits()
    limits.head = 400
    limits.fields = 6
    limits.body = 50
    return limits
  }

  /// Lines for what a reader finds in the bytes, cut at these positions.
  private func read(_ bytes: [UInt8], cuts: [Int] = []) -> [String] {
    let limits = Self.limits
    var reader = RequestReader(limits: limits) { _ in limits.body }
    var lines: [String] = []
    var at = 0
    do throws(RequestFault) {
      for end in cuts + [bytes.count] {
        reader.append(ByteBuffer(bytes: bytes[at..<end]))
        at = end
        while let whole = try reader.next() {
          let head = whole.head
          lines.append("\(head.method.rawValue) \(head.target.path) \(String(decoding: whole.body, as: UTF8.self)) \(head.isKept)")
        }
        #expect(reader.held <= limits.head + 4 + limits.body + bytes.count)
      }
    } catch { lines.append("\(error.status) \(error.reason.rawValue)") }
    return lines
  }

  private func read(_ text: String) -> [String] { read(Array(text.utf8)) }

  @Test func `heads, bodies with a length, bodies in chunks, one after the other`() {
    let text =
      "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n" + "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
      + "PUT /c HTTP/1.1\r\nhost: x\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\nT: v\r\n\r\n"
      + "\r\nDELETE /d HTTP/1.0\r\n\r\n" + "GET http://x/e HTTP/1.1\r\nHost: y\r\nConnection: x, Close\r\n\r\n"
    #expect(
      read(text) == ["GET /a  true", "POST /b abc true", "PUT /c abc0123456789 true", "DELETE /d  false", "GET /e  false"])
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", "400 malformed"),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400 malformed"),
    ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "400 malformed"),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505 malformed"),
    ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", "501 malformed"),
    ("get / HTTP/1.1\r\n", "400 malformed"),
    ("\u{16}\u{3}\u{1}", "400 malformed"),
    ("GET / HTTP/1.1\r\nHost: a\n\r\n\r\n", "400 malformed"),
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", "400 malformed"),
    ("GET / HTTP/1.1\r\nHost: a\r\n more\r\n\r\n", "400 malformed"),
    ("GET / HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n", "400 malformed"),
    ("GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n", "400 malformed"),
    ("GET /%2e%2E/b HTTP/1.1\r\nHost: a\r\n\r\n", "400 malformed"),
    ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "400 malformed"),
    ("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", "400 malformed"),
    ("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", "400 malformed"),
    ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", "400 malformed"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400 malformed"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", "400 malformed"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", "400 malformed"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", "400 malformed"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 51\r\n\r\n", "413 body"),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "501 malformed"),
    ("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "400 malformed"),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "400 malformed"),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n33\r\n", "413 body"),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "400 malformed"),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n", "400 malformed"),
    ("GET / HTTP/1.1\r\nA:\r\nB:\r\nC:\r\nD:\r\nE:\r\nF:\r\nHost: a\r\n\r\n", "431 head"),
  ]) func `what is no request is refused`(_ text: String, _ outcome: String) {
    #expect(read(text) == [outcome])
  }

  @Test func `a head without an end is refused at its limit, a trailer and a chunk's size at theirs`() {
    #expect(read("GET /" + String(repeating: "a", count: 398)) == [])
    #expect(read("GET /" + String(repeating: "a", count: 399)) == ["431 head"])
    let start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(read(start + "1;" + String(repeating: "x", count: 80)) == ["400 malformed"])
    #expect(read(start + "0\r\n" + String(repeating: "a: b\r\n", count: 300)) == ["400 malformed"])
  }

  @Test func `one empty line before a request is overlooked, however it is cut, and no more`() {
    let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    for cuts in [[], [1], [2], [1, 2, 3]] {
      #expect(read([13, 10] + request, cuts: cuts) == ["GET /  true"])
      #expect(read([13, 10, 13, 10] + request, cuts: cuts) == ["400 malformed"])
    }
    // A chunk's size at its limit.
    let head = Array("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    let body = Array(("1;" + String(repeating: "x", count: 62) + "\r\na\r\n0\r\n\r\n").utf8)
    for cut in 0...body.count { #expect(read(head + body, cuts: [head.count + cut]) == ["PUT / a true"]) }
  }

  @Test func `paths and queries are decoded once`() throws {
    let target = try #require(WebTarget("/symbol/BTC%2FUSD/?q=a+b%26c&q=2&empty&=x"))
    #expect(target.segments == ["symbol", "BTC/USD"])
    #expect(target["q"] == "a b&c" && target["empty"] == "" && target[""] == "x" && target["none"] == nil)
    #expect(WebTarget("/")?.segments == [])
    #expect(WebTarget("/a//b")?.segments == ["a", "", "b"])
    #expect(WebTarget("/%252e%252e")?.segments == ["%2e%2e"])
    #expect(WebTarget("/?" + String(repeating: "a&", count: 64)) != nil)
    #expect(WebTarget("/?" + String(repeating: "a&", count: 65)) == nil)
  }

  @Test func `requests of every kind are read the same however they are cut, and never trap`() {
    let words = [
      "GET", "POST", "PUT", " ", " /", " /a%20b?c=d&e", "HTTP/1.1", " HTTP/1.1\r\n", " HTTP/1.0\r\n", "\r\n", "\r\n\r\n", "\n", "\r", ":",
      ": ", "Host: a\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "5\r\nabcde\r\n",
      "0\r\n\r\n", "abcde", ";", "%", "..", "é", "\u{0}", "Expect: 100-continue\r\n", String(repeating: "y", count: 120),
    ]
    let good = [
      "GET /a HTTP/1.1\r\nHost: a\r\n\r\n", "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde",
      "PUT /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
    ]
    var random = SplitMix(11)
    var (requests, faults) = (0, 0)
    var costs = Costs("requests")
    let count = rounds(1500)
    for _ in 0..<count {
      var bytes: [UInt8] = []
      for _ in 0...random.upTo(3) {
        bytes +=
          random.oneIn(3)
          ? (0...random.upTo(12)).flatMap { _ in Array(words[random.upTo(words.count - 1)].utf8) } : Array(good[random.upTo(2)].utf8)
      }
      if random.oneIn(3) { bytes[random.upTo(bytes.count - 1)] = UInt8(truncatingIfNeeded: random.next()) }
      let whole = costs.measure(size: bytes.count, "\(bytes)", isGood: { $0.count > 1 }) { read(bytes) }
      requests += whole.count { !$0.hasPrefix("4") && !$0.hasPrefix("5") }
      faults += whole.count { $0.hasPrefix("4") || $0.hasPrefix("5") }
      for _ in 0..<3 {
        let cuts = (0..<random.upTo(6)).map { _ in random.upTo(bytes.count) }.sorted()
        #expect(read(bytes, cuts: cuts) == whole, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
      if bytes.count < 200 { #expect(read(bytes, cuts: Array(1..<max(1, bytes.count))) == whole) }
    }
    #expect(requests > count / 2 && faults > count / 10, "\(requests), \(faults)")
    for line in costs.lines { print(line) }
  }
}
