internal import StockbusCrypto

/// A file in memory, compressed once, with its `ETag`.
package struct WebFile: Sendable {
  private let bytes: [UInt8]
  private let compressed: [UInt8]?
  private let type: String
  private let cache: String
  /// The `ETag`, the same for the same bytes.
  package let tag: String

  /// - Parameter cache: `Cache-Control`; by default a browser asks each time whether the file has changed.
  package init(_ bytes: [UInt8], type: String, cache: String = "no-cache") {
    self.bytes = bytes
    self.type = type
    self.cache = cache
    let digest = Digest.sha256(bytes).prefix(12)
    tag = "\"" + digest.map { (byte: UInt8) in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined() + "\""
    let smaller = Gzip.compress(bytes).flatMap { $0.count < bytes.count * 9 / 10 ? $0 : nil }
    compressed = smaller
  }

  /// The type of a file by the end of its name.
  package static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    case "ico": "image/x-icon"
    case "png": "image/png"
    case "json": "application/json"
    case "webmanifest": "application/manifest+json"
    case "txt", "md": "text/plain; charset=utf-8"
    case "woff2": "font/woff2"
    default: "application/octet-stream"
    }
  }

  /// The whole file, compressed if the client accepts gzip; or 304 if the client has it.
  package func response(to request: WebRequest) -> WebResponse {
    var response = WebResponse(200, body: bytes, type: type)
    response.fields.set("etag", tag)
    response.fields.set("cache-control", cache)
    if compressed != nil { response.fields.set("vary", "Accept-Encoding") }
    let known = request.fields.all("if-none-match").flatMap { $0.split(separator: ",") }.map(\.trimmingBlanks)
    if known.contains(where: { $0 == "*" || $0 == tag || $0 == "W/" + tag }) {
      response.status = 304
      response.body = []
      response.fields.remove("content-type")
      return response
    }
    if let compressed, readsGzip(request) {
      response.body = compressed
      response.fields.set("content-encoding", "gzip")
    }
    return response
  }

  private func readsGzip(_ request: WebRequest) -> Bool {
    request.fields.all("accept-encoding").flatMap { $0.split(separator: ",") }.contains { item in
      let words = item.lowercased().split(separator: ";").map(\.trimmingBlanks)
      let isRefused = words.dropFirst().contains { $0.hasPrefix("q=0") && $0.dropFirst(3).allSatisfy { $0 == "." || $0 == "0" } }
      return words.first == "gzip" && !isRefused
    }
  }
}
