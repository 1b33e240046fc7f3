/// The first line and the fields of a request (RFC 9112).
struct RequestHead: Sendable, Hashable {
  let method: WebMethod
  let target: WebTarget
  /// What the client calls this server: the target's authority, or `Host`.
  let host: String
  let fields: WebFields
  /// True if the connection may have another request after this one.
  let isKept: Bool
  let body: Body
  /// True if the client waits for 100 before it sends the body.
  let expectsContinue: Bool

  enum Body: Sendable, Hashable {
    /// So many bytes.
    case length(Int)
    case chunked
  }

  /// Parses what comes before the empty line.
  init(_ bytes: some Collection<UInt8>, limits: WebLimits) throws(RequestFault) {
    var lines = Array(bytes).split(separator: 10, omittingEmptySubsequences: false)[...]
    guard let first = lines.popFirst() else { throw .malformed("an empty head") }
    let (method, target, isNew) = try Self.firstLine(Self.line(first))
    var fields = WebFields()
    if lines.count > limits.fields { throw RequestFault(431, .head, "more than \(limits.fields) header fields") }
    for line in lines { try Self.addField(Self.line(line), to: &fields) }
    var rest = target
    var authority: String?
    for scheme in ["http://", "https://"] where rest.lowercased().hasPrefix(scheme) {
      let name = rest.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
      authority = String(name)
      rest = rest.dropFirst(scheme.count + name.count)
      if !rest.hasPrefix("/") { rest = "/" + rest }
    }
    guard let parsed = WebTarget(rest) else { throw .malformed("a malformed path or query") }
    let hosts = fields.all("host")
    if hosts.count > 1 || isNew && hosts.isEmpty { throw .malformed("one 'Host' is needed") }
    self.method = method
    self.target = parsed
    host = authority ?? hosts.first ?? ""
    isKept = isNew && !fields.has("close", in: "connection")
    body = try Self.body(fields, isNew: isNew)
    expectsContinue = isNew && fields.has("100-continue", in: "expect")
    self.fields = fields
  }

  /// A line without its end; a line end without a carriage return is refused, as requests are smuggled with it.
  private static func line(_ bytes: ArraySlice<UInt8>) throws(RequestFault) -> ArraySlice<UInt8> {
    guard bytes.last == 13 else { throw .malformed("a line that does not end with CR LF") }
    return bytes.dropLast()
  }

  private static func firstLine(_ line: ArraySlice<UInt8>) throws(RequestFault) -> (WebMethod, Substring, isNew: Bool) {
    guard line.allSatisfy({ (32...126).contains($0) }) else { throw .malformed("a first line with characters that it cannot have") }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[1].isEmpty else { throw .malformed("no HTTP") }
    let isNew: Bool
    switch words[2] {
    case "HTTP/1.1": isNew = true
    case "HTTP/1.0": isNew = false
    case let version where version.hasPrefix("HTTP/"): throw RequestFault(505, .malformed, "only HTTP/1.1 is spoken here")
    default: throw .malformed("no HTTP")
    }
    guard let method = WebMethod(rawValue: String(words[0])) else {
      throw RequestFault(501, .malformed, "only GET, HEAD, POST, PUT and DELETE are known")
    }
    return (method, words[1], isNew)
  }

  private static func addField(_ line: ArraySlice<UInt8>, to fields: inout WebFields) throws(RequestFault) {
    // A blank at the beginning would continue the line before, one before the colon belongs to no name (RFC 9112, section 5).
    guard let colon = line.firstIndex(of: 58), colon > line.startIndex, line[..<colon].allSatisfy({ $0 > 32 && $0 < 127 }) else {
      throw .malformed("a malformed header field")
    }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }), let text = String(validating: value, as: UTF8.self) else {
      throw .malformed("a header field with characters that it cannot have")
    }
    let name = String(decoding: line[..<colon], as: UTF8.self)
    let before = fields
    fields.add(name, String(text.trimmingBlanks))
    if fields == before { throw .malformed("a malformed header field") }
  }

  private static func body(_ fields: WebFields, isNew: Bool) throws(RequestFault) -> Body {
    let (lengths, codings) = (fields.all("content-length"), fields.all("transfer-encoding"))
    if codings.isEmpty, lengths.isEmpty { return .length(0) }
    if !codings.isEmpty {
      // Two statements about the length are how requests are smuggled past another server (RFC 9112, section 6.1).
      guard lengths.isEmpty, isNew else { throw .malformed("'Transfer-Encoding' beside 'Content-Length', or in HTTP/1.0") }
      guard codings.count == 1, codings[0].lowercased() == "chunked" else {
        throw RequestFault(501, .malformed, "no other 'Transfer-Encoding' than chunked is known")
      }
      return .chunked
    }
    guard lengths.count == 1, !lengths[0].isEmpty, lengths[0].utf8.count <= 15, lengths[0].utf8.allSatisfy({ (48...57).contains($0) }),
      let length = Int(lengths[0])
    else { throw .malformed("a malformed 'Content-Length'") }
    return .length(length)
  }
}
