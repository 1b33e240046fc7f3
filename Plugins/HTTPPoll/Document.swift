internal import StockbusNetwork

/// The last accepted document, with the validators by which an unchanged document is recognised (RFC 9110, section 13).
struct Document: Sendable, Hashable, Codable {
  private(set) var tag: String?
  private(set) var modified: String?
  /// Nil before the first.
  private(set) var body: [UInt8]?
  /// The number of its events.
  private(set) var events = 0

  mutating func remember(_ response: HTTPResponse, events: Int) {
    self.events = events
    tag = response.fields["ETag"]
    modified = response.fields["Last-Modified"]
    body = response.body
  }

  mutating func forget() { self = Document() }
}
