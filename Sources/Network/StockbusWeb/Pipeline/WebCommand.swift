internal import NIOHTTP1
internal import StockbusNetwork

/// What the task of a connection asks of its channel's handlers, as user events.
enum WebCommand: Sendable {
  /// Takes the next request.
  case proceed
  /// Sends nothing more, and discards what still comes, so that the response before is not lost by a reset.
  case discard
  /// A response is sent bit by bit; a client that closes its side waits for no more of it.
  case stream
  /// Makes it a WebSocket, after the response that is written before.
  case upgrade(WebSocketConnection, limit: Int)
  /// Closes the socket without any farewell, also that of TLS.
  case cut
}

/// A response as the handlers write it.
struct WebReply: Sendable {
  /// Nil for more of a body that is sent bit by bit.
  let head: HTTPResponseHead?
  /// Empty if the response has none.
  let body: [UInt8]
  /// False if more of the body follows.
  let isLast: Bool

  /// More of a body that is sent bit by bit.
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
