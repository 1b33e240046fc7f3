internal import StockbusNetwork

/// What is known of the document that was last taken: by what the server and we recognise it (RFC 9110, section 13).
struct Document: Sendable, Hashable {
  private(set) var tag: String?
  private(set) var modified: String?
  /// Nil before the first.
  private(set) var body: [UInt8]?
  /// How many events were in it.
  private(set) var events = 0

  mutating func remember(_ response: HTTPResponse, events: Int) {
    self.events = events
    tag = response.fields["ETag"]
    modified = response.fields["Last-Modified"]
    body = response.body
  }

  mutating func forget() { self = Document() }
}
