internal import StockbusPlugin

/// A client's first message: CONNECT with its credentials, and a PING, whose reply shows that the server has admitted the client.
struct NATSGreeting: Sendable {
  let credentials: NATSCredentials
  /// The client's name in the server's lists.
  let name: String

  func text(for info: NATSServerInfo) throws(NATSError) -> String {
    var members: [(String, String)] = []
    switch credentials {
    case .none:
      if info.requiresCredentials { throw .refused("it requires a login; set 'login'") }
    case .password(let user, let password): members = [("user", user), ("pass", password.revealed)]
    case .token(let token): members = [("auth_token", token.revealed)]
    case .nkey(let key): members = [("nkey", key.publicText), ("sig", try Self.sign(key, info))]
    case .jwt(let token, let key): members = [("jwt", token.revealed), ("sig", try Self.sign(key, info))]
    }
    members += [("name", name), ("lang", "swift"), ("version", "1")]
    var out = ByteWriter(capacity: 512)
    out.append(#"CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"protocol":1"#)
    for (key, value) in members {
      out.append(",\"\(key)\":")
      var value = value
      value.withUTF8 { out.append(json: $0) }
    }
    out.append("}\r\nPING\r\n")
    return out.string
  }

  private static func sign(_ key: NKey, _ info: NATSServerInfo) throws(NATSError) -> String {
    guard let nonce = info.nonce, let signature = key.signature(of: nonce) else {
      throw .refused("the server sent no nonce to sign; it does not accept NKeys")
    }
    return signature
  }
}
