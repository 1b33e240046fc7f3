internal import NIOCore
@testable import StockbusWeb

extension Target {
  /// Requests are the same however the bytes are cut, no more is held than the limits allow, and what is refused has a status and words.
  static let requests = Target(
    "requests", "HTTP requests (the first bytes choose how they are cut)", limit: 2048, seeds: requestSeeds, budget: 200
  ) { bytes in
    var choices = Choices(bytes)
    let sizes = [1 + choices.pick(64), 1 + choices.pick(16)]
    let stream = choices.rest
    let whole = readRequests(stream, [stream.count])
    for cut in [sizes, [1], [2, 3]] {
      let other = readRequests(stream, cut)
      law(other == whole, "cut into \(cut) it gives \(other), whole \(whole)")
    }
  }

  private static func readRequests(_ stream: ArraySlice<UInt8>, _ sizes: [Int]) -> [String] {
    var limits = WebLimits()
    limits.head = 300
    limits.body = 100
    let most = limits.body
    var reader = RequestReader(limits: limits) { _ in most }
    var lines: [String] = []
    do throws(RequestFault) {
      for piece in pieces(stream, sizes) {
        reader.append(ByteBuffer(bytes: piece))
        while let found = try reader.next() {
          law(found.body.count <= most, "a body of \(found.body.count) bytes over the limit of \(most)")
          law(!found.head.target.segments.contains("..") && found.head.target.path.hasPrefix("/"), "a path that leads out")
          lines.append("\(found.head.method.rawValue) \(found.head.target.path) \(found.head.host) \(found.body)")
        }
        law(reader.held <= limits.head + 4 + most + piece.count, "\(reader.held) bytes are held")
      }
    } catch {
      law((400...505).contains(error.status) && !error.message.isEmpty, "a refusal has a status and words")
      lines.append("\(error.status) \(error.message)")
    }
    return lines
  }

  private static let requestSeeds: [[UInt8]] = [
    "GET /api/symbols/BTC%2FUSD?length=1m&from=0 HTTP/1.1\r\nHost: localhost:8080\r\nCookie: stockbus=a\r\n\r\n",
    "POST /api/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n3;x\r\nabc\r\n0\r\nT: v\r\n\r\n",
    "\r\nDELETE http://a/b HTTP/1.0\r\nConnection: close\r\n\r\nHEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
  ].map { [4, 7] + Array($0.utf8) }
}
