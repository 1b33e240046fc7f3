package import StockbusPlugin

/// What a route answers.
package struct WebResponse: Sendable {
  package var status: Int
  package var fields = WebFields()
  package var body: [UInt8]

  package init(_ status: Int, body: [UInt8] = [], type: String? = nil) {
    self.status = status
    self.body = body
    if let type { fields.set("content-type", type) }
  }

  /// 204.
  package static var done: WebResponse { WebResponse(204) }

  package static func json(_ value: JSONValue, status: Int = 200) -> WebResponse { json(text: value.description, status: status) }

  /// JSON that has been written already.
  package static func json(text: String, status: Int = 200) -> WebResponse {
    WebResponse(status, body: Array(text.utf8), type: "application/json")
  }

  package static func text(_ text: String, status: Int = 200) -> WebResponse {
    WebResponse(status, body: Array(text.utf8), type: "text/plain; charset=utf-8")
  }

  /// `{"error":{"code":"unknown_symbol","message":"…"}}`.
  package static func error(_ status: Int, _ code: String, _ message: String) -> WebResponse {
    json(["error": ["code": .string(code), "message": .string(message)]], status: status)
  }

  /// The same with one more field; one that is not valid is left out.
  package func with(_ name: String, _ value: String) -> WebResponse {
    var response = self
    response.fields.add(name, value)
    return response
  }

  /// The words after a status on the first line.
  static func phrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Status"
    }
  }
}
