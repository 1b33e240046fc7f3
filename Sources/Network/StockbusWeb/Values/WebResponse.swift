package import StockbusPlugin

/// The response of a route.
package struct WebResponse: Sendable {
  package var status: Int
  package var fields = WebFields()
  package var body: [UInt8]
  /// Sends the rest of the body, in pieces; nil if there is none. It returns when its task is cancelled, because the client has closed or
  /// the server stops. The connection is closed after it.
  package var stream: (@Sendable (WebStream) async -> Void)?

  package init(_ status: Int, body: [UInt8] = [], type: String? = nil) {
    self.status = status
    self.body = body
    if let type { fields.set("content-type", type) }
  }

  /// A response with status 204.
  package static var done: WebResponse { WebResponse(204) }

  package static func json(_ value: JSONValue, status: Int = 200) -> WebResponse { json(text: value.description, status: status) }

  /// A response with JSON text.
  package static func json(text: String, status: Int = 200) -> WebResponse {
    WebResponse(status, body: Array(text.utf8), type: "application/json")
  }

  package static func text(_ text: String, status: Int = 200) -> WebResponse {
    WebResponse(status, body: Array(text.utf8), type: "text/plain; charset=utf-8")
  }

  /// An error response: `{"error":{"code":"unknown_symbol","message":"…"}}`.
  package static func error(_ status: Int, _ code: String, _ message: String) -> WebResponse {
    json(["error": ["code": .string(code), "message": .string(message)]], status: status)
  }

  /// The same response with one more field; an invalid field is left out.
  package func with(_ name: String, _ value: String) -> WebResponse {
    var response = self
    response.fields.add(name, value)
    return response
  }
}
