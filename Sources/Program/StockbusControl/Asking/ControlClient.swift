internal import StockbusNetwork
package import StockbusPlugin
package import StockbusRuntime
internal import StockbusText

/// Sends requests to one run through its socket.
package struct ControlClient: Sendable {
  /// Why there is no answer.
  package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
    /// True if nothing listens on the socket: the process has ended.
    package let isGone: Bool

    package init(description: String, isGone: Bool = false) { (self.description, self.isGone) = (description, isGone) }
  }

  private let socket: String
  private let clock: any Timekeeper

  package init(socket: String, clock: any Timekeeper) {
    self.socket = socket
    self.clock = clock
  }

  package func status(within limit: Duration = .seconds(5)) async throws(Failure) -> RunStatus {
    try document(RunStatus.self, try await ask(.get, "/status", within: limit))
  }

  package func plan(_ configuration: [String]?) async throws(Failure) -> ChangeReport {
    try await change("/plan", configuration)
  }

  /// - Parameter configuration: another configuration; nil for the run's own, as it is now.
  package func apply(_ configuration: [String]?) async throws(Failure) -> ChangeReport {
    try await change(configuration == nil ? "/reload" : "/apply", configuration)
  }

  /// Stops the run gracefully; returns when it has ended.
  package func stop() async throws(Failure) -> EndReport {
    try document(EndReport.self, try await ask(.post, "/stop", within: .seconds(86_400)))
  }

  /// Sends a command line to a component; returns its reply.
  package func tell(_ id: String, _ line: String) async throws(Failure) -> String {
    struct Reply: Decodable { let reply: String }
    let body = JSONDocument.text(["line": line])
    return try document(Reply.self, try await ask(.post, "/components/\(id.percentEncoded)/commands", body, within: .seconds(60))).reply
  }

  /// How the run treats a symbol.
  ///
  /// - Parameter duration: how long the run watches, such as `5s`.
  package func why(_ symbol: String, for duration: String) async throws(Failure) -> SymbolReport {
    let path = "/symbols/\(symbol.percentEncoded)/why?for=\(duration.percentEncoded)"
    return try document(SymbolReport.self, try await ask(.get, path, within: .seconds(180)))
  }

  /// Follows the published events of a component: calls `take` for each record, until it returns false or the stream ends; returns why.
  package func tap(_ id: String, _ query: [(name: String, value: String)], _ take: (ServerEvent) -> Bool) async throws(Failure) -> String {
    var events = ServerEvents()
    var reason = Self.runHasEnded
    try await follow(id, query) { bytes in
      for event in events.take(bytes) {
        if event.name == "end" { reason = event.data } else if !take(event) { return false }
      }
      return true
    }
    return reason
  }

  /// The reason for the end where the run gives none.
  package static let runHasEnded = "the run has ended"

  /// Follows the published events of a component: calls `take` for each piece of the response, until it returns false or the stream ends.
  package func follow(_ id: String, _ query: [(name: String, value: String)], _ take: ([UInt8]) -> Bool) async throws(Failure) {
    let words = query.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
    let response: HTTPResponse
    do throws(HTTPError) {
      let path = "/components/\(id.percentEncoded)/tap" + (words.isEmpty ? "" : "?\(words)")
      response = try await NetworkTransport().follow(HTTPRequest(.get, try WebAddress(socket: socket, path))) { take($0) }
    } catch { throw Failure(description: "\(error)", isGone: error.code == .unreachable) }
    if !response.isSuccess { throw refusal(response) }
  }

  private func change(_ path: String, _ configuration: [String]?) async throws(Failure) -> ChangeReport {
    let body = JSONDocument.text(ChangeForm(configuration: configuration))
    // As long as the run may take to stop its components and to start others.
    let response = try await ask(.post, path, body, within: .seconds(86_400), isReport: true)
    return try document(ChangeReport.self, response)
  }

  private func document<D: Decodable>(_: D.Type, _ response: HTTPResponse) throws(Failure) -> D {
    guard let document = JSONDocument.read(D.self, response.body) else { throw Failure(description: "the run's reply is malformed") }
    return document
  }

  /// - Parameter isReport: true if the body is a report of the result, even where the status is an error.
  private func ask(
    _ method: HTTPRequest.Method, _ path: String, _ body: String = "", within limit: Duration, isReport: Bool = false
  ) async throws(Failure) -> HTTPResponse {
    let response: HTTPResponse
    do throws(HTTPError) {
      var request = HTTPRequest(method, try WebAddress(socket: socket, path), body: Array(body.utf8))
      if !body.isEmpty { try request.fields.set("Content-Type", "application/json") }
      response = try await NetworkTransport().send(request, limits: HTTPLimits(whole: limit, body: 64 << 20), clock: clock)
    } catch {
      throw Failure(description: "\(error)", isGone: error.code == .unreachable)
    }
    if response.isSuccess || isReport && (response.status == 409 || response.status == 422) { return response }
    throw refusal(response)
  }

  private func refusal(_ response: HTTPResponse) -> Failure {
    struct Refusal: Decodable {
      struct Reason: Decodable { let message: String }
      let error: Reason
    }
    let reason = JSONDocument.read(Refusal.self, response.body)?.error.message
    return Failure(description: reason ?? "the run answers with \(response.status)")
  }
}
