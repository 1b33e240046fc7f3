/// A request to a server.
public struct HTTPRequest: Sendable {
  public enum Method: String, Sendable, Hashable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
  }

  public var method: Method
  public var address: WebAddress
  public var fields: HTTPFields
  public var body: [UInt8]

  public init(_ method: Method, _ address: WebAddress, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
    self.method = method
    self.address = address
    self.fields = fields
    self.body = body
  }
}

/// A server's response.
public struct HTTPResponse: Sendable, Hashable {
  public var status: Int
  public var fields: HTTPFields
  public var body: [UInt8]

  public init(status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// 200 to 299.
  public var isSuccess: Bool { (200...299).contains(status) }

  /// True if the same request may succeed a little later: 408, 425, 429 and 5xx except 501 and 505.
  public var isTransient: Bool {
    switch status {
    case 408, 425, 429: true
    case 501, 505: false
    default: (500...599).contains(status)
    }
  }
}

/// The limits of an exchange.
public struct HTTPLimits: Sendable, Hashable {
  /// The time to establish the connection.
  public var connect: Duration
  /// The time from the beginning to the last byte, including redirects.
  public var whole: Duration
  /// How many redirects are followed; with 0 a 3xx response is returned as it is.
  public var redirects: Int
  /// The largest body of a response in bytes; a larger one ends the exchange while it is being read.
  public var body: Int

  public init(connect: Duration = .seconds(10), whole: Duration = .seconds(30), redirects: Int = 0, body: Int = 1 << 20) {
    self.connect = connect
    self.whole = whole
    self.redirects = redirects
    self.body = body
  }
}
