/// A request to a server.
package struct HTTPRequest: Sendable {
  package enum Method: String, Sendable, Hashable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
  }

  package var method: Method
  package var address: WebAddress
  package var fields: HTTPFields
  package var body: [UInt8]

  package init(_ method: Method, _ address: WebAddress, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
    self.method = method
    self.address = address
    self.fields = fields
    self.body = body
  }
}

/// A server's response.
package struct HTTPResponse: Sendable, Hashable {
  package var status: Int
  package var fields: HTTPFields
  package var body: [UInt8]

  package init(status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// True for a status of 200 to 299.
  package var isSuccess: Bool { (200...299).contains(status) }

  /// True if the same request may succeed after a short time: 408, 418 (banned for a while, at some venues), 425, 429 and 5xx except 501
  /// and 505.
  package var isTransient: Bool {
    switch status {
    case 408, 418, 425, 429: true
    case 501, 505: false
    default: (500...599).contains(status)
    }
  }
}

/// The limits of an exchange.
package struct HTTPLimits: Sendable, Hashable {
  /// The time to establish the connection.
  package var connect: Duration
  /// The time from the beginning to the last byte, including redirects.
  package var whole: Duration
  /// The most redirects that are followed; with 0 a 3xx response is returned unchanged.
  package var redirects: Int
  /// The largest body of a response in bytes; a larger one ends the exchange while it is being read.
  package var body: Int

  package init(connect: Duration = .seconds(10), whole: Duration = .seconds(30), redirects: Int = 0, body: Int = 1 << 20) {
    self.connect = connect
    self.whole = whole
    self.redirects = redirects
    self.body = body
  }
}
