internal import NIOCore
internal import NIOHTTP1

/// Assembles requests from their parts, one at a time: a head within the rules, a body within its route's limit.
///
/// A pure value. It stores the data that a client has sent after the request that is being answered.
struct RequestAssembly {
  /// A head with its whole body.
  struct Whole: Sendable {
    let head: RequestHead
    let body: [UInt8]
  }

  private let bodyLimit: @Sendable (RequestHead) -> Int
  private var head: RequestHead?
  private var body: [UInt8] = []
  private var limit = 0
  private var waiting = CircularBuffer<HTTPServerRequestPart>()
  private var fault: RequestFault?
  /// The approximate number of waiting bytes.
  private(set) var held = 0
  /// True once, after a head whose client waits for 100.
  private var owesContinue = false

  /// - Parameter bodyLimit: the most bytes of the body after this head.
  init(bodyLimit: @escaping @Sendable (RequestHead) -> Int) { self.bodyLimit = bodyLimit }

  /// True between the head of a request and its end.
  var isInside: Bool { head != nil }

  mutating func append(_ part: HTTPServerRequestPart) {
    held += Self.size(of: part)
    waiting.append(part)
  }

  private static func size(of part: HTTPServerRequestPart) -> Int {
    switch part {
    case .head(let head): head.headers.reduce(head.uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    case .body(let bytes): bytes.readableBytes
    case .end: 1
    }
  }

  /// Appends a fault; no request follows the appended ones.
  mutating func append(_ fault: RequestFault) { if self.fault == nil { self.fault = fault } }

  /// Returns true once if the client waits for 100 before it sends the body.
  mutating func takeContinue() -> Bool {
    defer { owesContinue = false }
    return owesContinue
  }

  /// The next request; nil if more parts are needed. Not to be called after a throw.
  mutating func next() throws(RequestFault) -> Whole? {
    while let part = waiting.popFirst() {
      held -= Self.size(of: part)
      switch part {
      case .head(let part):
        let head = try RequestHead(part)
        limit = bodyLimit(head)
        if let length = head.length, length > limit { throw tooLarge }
        owesContinue = head.expectsContinue
        self.head = head
        body = []
      case .body(let bytes):
        owesContinue = false
        if body.count + bytes.readableBytes > limit { throw tooLarge }
        body += bytes.readableBytesView
      case .end:
        guard let head else { continue }
        defer {
          self.head = nil
          body = []
          owesContinue = false
        }
        return Whole(head: head, body: body)
      }
    }
    if let fault { throw fault }
    return nil
  }

  private var tooLarge: RequestFault { RequestFault(413, .body, "a body of more than \(limit) bytes") }
}
