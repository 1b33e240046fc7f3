/// A method of HTTP that routes can have.
package enum WebMethod: String, Sendable, Hashable, CaseIterable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case delete = "DELETE"

  /// True if a request may change something (RFC 9110, section 9.2.1).
  package var isChange: Bool {
    switch self {
    case .get, .head: false
    case .post, .put, .delete: true
    }
  }
}
