internal import NIOHTTP1
internal import StockbusNetwork

/// The commands from the task of a connection to its channel's handlers, as user events.
enum WebCommand: Sendable {
  /// Takes the next request.
  case proceed
  /// Sends no more, and discards data that still arrive, so that the previous response is not lost by a reset.
  case discard
  /// A response is sent in pieces; a client that closes its side does not wait for more of it.
  case stream
  /// Turns the connection into a WebSocket, after the response written before.
  case upgrade(WebSocketConnection, limit: Int)
  /// Closes the socket at once, without a close frame or TLS's close_notify.
  case cut
}

/// A response as the handlers write it.
struct WebReply: Sendable {
  /// The head; nil for a further piece of a body.
  let head: HTTPResponseHead?
  /// The body; empty if the response has none.
  let body: [UInt8]
  /// False if more of the body follows.
  let isLast: Bool

  /// A further piece of a body that is sent in pieces.
  init(more body: [UInt8], isLast: Bool) {
    head = nil
    self.body = body
    self.isLast = isLast
  }

  init(_ response: WebResponse, isKept: Bool, isHead: Bool) {
    var headers = HTTPHeaders()
    for (name, value) in response.fields.entries where name != "connection" && name != "content-length" {
      headers.add(name: name, value: value)
    }
    let hasBody = response.status >= 200 && response.status != 204 && response.status != 304
    isLast = response.stream == nil || isHead
    // Without a length NIO sends the body in chunks.
    if hasBody, isLast { headers.add(name: "content-length", value: "\(response.body.count)") }
    if response.status == 101 {
      headers.add(name: "connection", value: "upgrade")
    } else if !isKept {
      headers.add(name: "connection", value: "close")
    }
    head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
    body = hasBody && !isHead ? response.body : []
  }
}
