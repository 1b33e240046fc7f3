internal import NIOHTTP1
internal import StockbusNetwork

/// The head of a request that NIO has read, after the checks that NIO leaves to the server (RFC 9112).
struct RequestHead: Sendable, Hashable {
  let method: WebMethod
  let target: WebTarget
  /// The name by which the client addresses this server: the target's authority, or `Host`.
  let host: String
  let fields: WebFields
  /// True if the connection may have another request after this one.
  let isKept: Bool
  /// The length of the body, if the head contains it.
  let length: Int?
  /// True if the client waits for 100 before it sends the body.
  let expectsContinue: Bool

  init(_ head: HTTPRequestHead) throws(RequestFault) {
    guard let method = WebMethod(rawValue: head.method.rawValue) else {
      throw RequestFault(501, .malformed, "only GET, HEAD, POST, PUT and DELETE are supported")
    }
    let isNew = head.version == .http1_1
    let fields = try Self.fields(head.headers)
    let (authority, path) = try Self.target(head.uri)
    guard let target = WebTarget(path) else { throw .malformed("a malformed path or query") }
    let hosts = fields.all("host")
    if hosts.count > 1 || isNew && hosts.isEmpty { throw .malformed("exactly one 'Host' is needed") }
    let codings = fields.all("transfer-encoding")
    if !codings.isEmpty {
      // Two contradictory lengths can smuggle a request past another server (RFC 9112, section 6.1).
      guard isNew, fields.all("content-length").isEmpty else {
        throw .malformed("'Transfer-Encoding' together with 'Content-Length', or in HTTP/1.0")
      }
      guard codings.count == 1, codings[0].lowercased() == "chunked" else {
        throw RequestFault(501, .malformed, "the only supported 'Transfer-Encoding' is chunked")
      }
    }
    self.method = method
    self.target = target
    self.fields = fields
    host = authority ?? hosts.first ?? ""
    // NIO reads no data after a request for another protocol.
    isKept = isNew && !fields.has("close", in: "connection") && fields["upgrade"] == nil
    length = codings.isEmpty ? Int(fields["content-length"] ?? "0") : nil
    expectsContinue = isNew && fields.has("100-continue", in: "expect") && length != 0
  }

  private static func fields(_ headers: HTTPHeaders) throws(RequestFault) -> WebFields {
    var fields = WebFields()
    for (name, value) in headers {
      // Bytes that are not UTF-8 have been replaced by U+FFFD.
      guard !value.unicodeScalars.contains("\u{fffd}"), fields.add(name, String(value.trimmingBlanks)) else {
        throw .malformed("a malformed header field")
      }
    }
    return fields
  }

  /// The authority, if there is one, and the path with the query.
  private static func target(_ uri: String) throws(RequestFault) -> (authority: String?, path: Substring) {
    guard uri.utf8.allSatisfy({ (33...126).contains($0) }) else { throw .malformed("a target with invalid characters") }
    for scheme in ["http://", "https://"] where uri.lowercased().hasPrefix(scheme) {
      let rest = uri.dropFirst(scheme.count)
      let authority = rest.prefix { $0 != "/" && $0 != "?" }
      let path = rest.dropFirst(authority.count)
      return (String(authority), path.hasPrefix("/") ? path : "/" + path)
    }
    return (nil, uri[...])
  }
}
