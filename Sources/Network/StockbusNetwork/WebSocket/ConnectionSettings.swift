package import StockbusPlugin

/// How a WebSocket is opened, monitored and reopened: a group of options for plugins that use one.
///
/// ```swift
/// @Setting("How the connection is kept.") public var connection = ConnectionSettings()
/// ```
package struct ConnectionSettings: Options {
  @Setting("Headers of the handshake, such as Authorization; never printed.") package var headers: Mapping<Secret> = [:]
  @Setting("The subprotocol to request.") package var subprotocol: String?
  @Setting("Accepts compressed messages (permessage-deflate); each of them costs some microseconds.")
  package var compression = false
  @Setting("How certificates are checked; for wss.") package var tls = TLSSettings()
  @Setting("How long connecting may take.", in: .milliseconds(1) ... .seconds(600)) public var connectDeadline = Duration.seconds(10)
  @Setting("How long the handshake may take after that.", in: .milliseconds(1) ... .seconds(600))
  package var handshakeDeadline = Duration.seconds(10)
  @Setting("How often a ping is sent to the server.", in: .milliseconds(1) ... .seconds(86_400))
  package var ping = Duration.seconds(15)
  @Setting("How long the pong may take; then the connection is closed.", in: .milliseconds(1) ... .seconds(86_400))
  package var pongDeadline = Duration.seconds(10)
  @Setting("The longest time without a message before the connection is closed; by default there is no limit.", in: .milliseconds(1)...)
  package var idleDeadline: Duration?
  @Setting("The upper limit of the first pause before reconnecting.", in: .milliseconds(1) ... .seconds(3600))
  package var backoff = Duration.milliseconds(250)
  @Setting("The upper limit of later pauses; each is up to twice as long as the one before.", in: .milliseconds(1) ... .seconds(86_400))
  package var maxBackoff = Duration.seconds(30)
  @Setting("How long the closing handshake may take.", in: .milliseconds(1) ... .seconds(60)) public var closeDeadline = Duration.seconds(2)
  @Setting("The largest message that is accepted; a larger one closes the connection.", in: .bytes(16) ... .gibibytes(1))
  package var frameLimit = ByteSize.mebibytes(1)

  package init() {}

  package var files: [FileUse] { tls.files.map { $0.inside("tls") } }

  package func validate(_ problems: inout OptionProblems) {
    if maxBackoff < backoff { problems.add("'max_backoff' must be at least 'backoff'", at: "max_backoff") }
    for (name, value) in headers.entries {
      // A line end in a header would begin another header.
      let isName = !name.isEmpty && name.utf8.allSatisfy { Self.tokenCharacters.contains($0) }
      let isValue = value.revealed.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 }
      if !isName { problems.add("'\(name)' cannot be a header's name", at: "headers") }
      if !isValue { problems.add("the header '\(name)' has a character that no header can have", at: "headers") }
      if Self.ownHeaders.contains(name.lowercased()) { problems.add("the header '\(name)' is part of the handshake", at: "headers") }
    }
    if let subprotocol, subprotocol.isEmpty || !subprotocol.utf8.allSatisfy({ Self.tokenCharacters.contains($0) }) {
      problems.add("'subprotocol' must be one word", at: "subprotocol")
    }
  }

  /// RFC 9110, section 5.6.2.
  private static let tokenCharacters = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
  private static let ownHeaders: Set = [
    "host", "upgrade", "connection", "sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol", "sec-websocket-extensions",
    "content-length", "transfer-encoding",
  ]
}
