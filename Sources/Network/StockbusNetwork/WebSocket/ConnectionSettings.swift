package import StockbusPlugin

/// How a WebSocket is opened, monitored and reopened: a group of options for plugins that use one.
///
/// ```swift
/// @Setting("How the connection is kept.") public var connection = ConnectionSettings()
/// ```
package struct ConnectionSettings: Options {
  @Setting("Headers of the handshake, such as Authorization; never printed.") package var headers: Mapping<Secret> = [:]
  @Setting("The subprotocol to ask for.") package var subprotocol: String?
  @Setting("Offers to take compressed messages (permessage-deflate); those that come take some microseconds each.")
  package var compression = false
  @Setting("How certificates are checked; for wss.") package var tls = TLSSettings()
  @Setting("How long connecting may take.", in: .milliseconds(1) ... .seconds(600)) public var connectDeadline = Duration.seconds(10)
  @Setting("How long the handshake may take after that.", in: .milliseconds(1) ... .seconds(600))
  package var handshakeDeadline = Duration.seconds(10)
  @Setting("How often the other side is asked for a sign of life.", in: .milliseconds(1) ... .seconds(86_400))
  package var ping = Duration.seconds(15)
  @Setting("How long its answer may take; then the connection is given up.", in: .milliseconds(1) ... .seconds(86_400))
  package var pongDeadline = Duration.seconds(10)
  @Setting("How long no message may come before the connection is given up; without it silence is no fault.", in: .milliseconds(1)...)
  package var idleDeadline: Duration?
  @Setting("The longest the first pause before connecting again is.", in: .milliseconds(1) ... .seconds(3600))
  package var backoff = Duration.milliseconds(250)
  @Setting("The longest of all pauses; each is up to twice as long as the one before.", in: .milliseconds(1) ... .seconds(86_400))
  package var maxBackoff = Duration.seconds(30)
  @Setting("How long the closing handshake may take.", in: .milliseconds(1) ... .seconds(60)) public var closeDeadline = Duration.seconds(2)
  @Setting("The largest message that is taken; a larger one ends the connection.", in: .bytes(16) ... .gibibytes(1))
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
