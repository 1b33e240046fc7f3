package import StockbusPlugin

/// What a route answers.
package struct WebResponse: Sendable {
  package var status: Int
  package var fields = WebFields()
  package var body: [UInt8]
  /// Sends the rest of the body, bit by bit; nil if there is none. It returns when its task is cancelled: the client has gone, or the server
  /// stops. The connection is closed after it.
  package var stream: (@Sendable (WebStream) async -> Void)?

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
}
