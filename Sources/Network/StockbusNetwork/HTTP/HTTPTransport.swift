package import StockbusPlugin

/// Performs HTTP requests: over the network, or by a script in a test.
package protocol HTTPTransport: Sendable {
  /// Performs one request without following redirects, within `limits.connect` and `limits.body`.
  ///
  /// If its task is cancelled, it ends soon after with `.cancelled`.
  func exchange(_ request: HTTPRequest, limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse
}

extension HTTPTransport {
  /// Performs one request and follows its redirects, within `limits.whole` on `clock`.
  ///
  /// A redirect from https to http is not followed. A redirect to another origin is followed without `Authorization`, `Cookie`,
  /// `Proxy-Authorization` and the fields in `secrets`. After 303 (except in response to a HEAD), and after 301 and 302 in response to a
  /// POST, the next request is a GET without a body (RFC 9110, section 15.4).
  package func send(
    _ request: HTTPRequest, limits: HTTPLimits = HTTPLimits(), secrets: [String] = [], clock: any Timekeeper
  ) async throws(HTTPError) -> HTTPResponse {
    let late = "\(request.address) did not respond within \(limits.whole.optionText)"
    return try await within(limits.whole, clock, late) { () async throws(HTTPError) in
      var request = request
      for _ in 0...max(0, limits.redirects) {
        let response = try await exchange(request, limits: limits)
        guard limits.redirects > 0, Redirect.statuses.contains(response.status), let location = response.fields["Location"] else {
          return response
        }
        request = try Redirect.next(after: request, status: response.status, location: location, secrets: secrets)
      }
      throw HTTPError(.badRedirect, "more than \(limits.redirects) redirects, the last to \(request.address)")
    }
  }
}

/// Computes the request that follows a redirect.
enum Redirect {
  static let statuses: Set<Int> = [301, 302, 303, 307, 308]

  static func next(
    after request: HTTPRequest, status: Int, location: String, secrets: [String]
  ) throws(HTTPError) -> HTTPRequest {
    var next = request
    next.address = try request.address.resolving(location)
    if request.address.isSecure, !next.address.isSecure {
      throw HTTPError(.badRedirect, "\(request.address) redirects to an address without encryption")
    }
    if !next.address.hasOrigin(of: request.address) {
      for name in ["Authorization", "Cookie", "Proxy-Authorization"] + secrets { next.fields.remove(name) }
    }
    if status == 303 && request.method != .head || (status == 301 || status == 302) && request.method == .post {
      next.method = .get
      next.body = []
      next.fields.remove("Content-Type")
    }
    return next
  }
}

/// Runs `body` with a time limit on a run's clock. If it takes longer, cancels it, waits for its end and throws `.timedOut`.
nonisolated(nonsending) func within<R: Sendable>(
  _ limit: Duration, _ clock: any Timekeeper, _ message: String,
  _ body: @escaping @Sendable () async throws(HTTPError) -> R
) async throws(HTTPError) -> R {
  let outcome = await withTaskGroup(of: Result<R, HTTPError>?.self) { group -> Result<R, HTTPError>? in
    group.addTask {
      do throws(HTTPError) { return .success(try await body()) } catch { return .failure(error) }
    }
    group.addTask {
      try? await clock.sleep(for: limit)
      return nil
    }
    let first = await group.next()
    group.cancelAll()
    return first ?? nil
  }
  if let outcome { return try outcome.get() }
  if Task.isCancelled { throw HTTPError(.cancelled, "cancelled") }
  throw HTTPError(.timedOut, message)
}
