package import StockbusNetwork
package import StockbusPlugin

/// How a client of NATS authenticates: a group of options. At most one kind is given.
package struct NATSLogin: Options {
  @Setting("A user's name, with 'password'.", length: 1...)
  package var user: String?
  @Setting("The user's password.")
  package var password: Secret?
  @Setting("A token, instead of user and password.")
  package var token: Secret?
  @Setting("The seed of an NKey (it begins with SU), with which the server's challenge is signed.")
  package var nkey: Secret?
  @Setting("A credentials file, as nsc writes it: a token (JWT) and an NKey.", length: 1...)
  package var credentials: String?

  package init() {}

  package var files: [FileUse] { credentials.map { [.reading($0, at: "credentials", takesStream: false)] } ?? [] }

  package func validate(_ problems: inout OptionProblems) {
    let kinds = [("user", user != nil), ("token", token != nil), ("nkey", nkey != nil), ("credentials", credentials != nil)]
    let given = kinds.filter(\.1).map(\.0)
    if given.count > 1 { problems.add("only one of 'user', 'token', 'nkey' and 'credentials' can be given", at: given[1]) }
    if password != nil, user == nil { problems.add("'password' needs 'user'", at: "password") }
    if user != nil, password == nil { problems.add("'user' needs 'password'", at: "user") }
    if let nkey, NKey(seed: nkey) == nil {
      problems.add("'nkey' is not the seed of a user's NKey: 58 letters and digits that begin with SU", at: "nkey")
    }
  }
}

/// How a connection to NATS is opened, monitored and reopened: a group of options for plugins that use one.
package struct NATSSettings: Options {
  @Setting("How certificates are checked, if TLS is used.") package var tls = TLSSettings()
  @Setting("How long connecting may take, and the server's INFO after that.", in: .milliseconds(1) ... .seconds(600))
  package var connectDeadline = Duration.seconds(5)
  @Setting("How long a reply of JetStream may take; then the request is sent again.", in: .milliseconds(1) ... .seconds(600))
  package var replyDeadline = Duration.seconds(5)
  @Setting("How often a ping is sent to the server.", in: .milliseconds(1) ... .seconds(86_400))
  package var ping = Duration.seconds(15)
  @Setting("How long the pong may take; then the connection is closed.", in: .milliseconds(1) ... .seconds(86_400))
  package var pongDeadline = Duration.seconds(10)
  @Setting("The upper limit of the first pause, after all servers were tried.", in: .milliseconds(1) ... .seconds(3600))
  package var backoff = Duration.milliseconds(250)
  @Setting("The upper limit of later pauses; each is up to twice as long as the one before.", in: .milliseconds(1) ... .seconds(86_400))
  package var maxBackoff = Duration.seconds(30)
  @Setting("The largest message that is accepted; a larger one closes the connection.", in: .bytes(64) ... .mebibytes(64))
  package var messageLimit = ByteSize.mebibytes(8)

  package init() {}

  package var files: [FileUse] { tls.files.map { $0.inside("tls") } }

  package func validate(_ problems: inout OptionProblems) {
    if maxBackoff < backoff { problems.add("'max_backoff' must be at least 'backoff'", at: "max_backoff") }
  }

  var limits: NATSLimits {
    var limits = NATSLimits()
    limits.payload = messageLimit.bytes
    limits.headers = min(limits.headers, limits.payload)
    return limits
  }
}
