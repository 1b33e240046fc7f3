package import StockbusPlugin
internal import StockbusViewing

/// Which users a page has.
package enum PageAccounts: String, Choice {
  /// Everybody on this machine, as one local user.
  case none
  /// People who log in; signing up needs an invitation.
  case invitation
  /// People who log in; anybody may sign up.
  case open
  /// People who log in; nobody can sign up.
  case closed
}

package struct DashboardSettings: Options {
  @Setting(
    "Where the page is served, as HOST:PORT; port 0 takes any free one. Other addresses than those of this machine itself need accounts and a certificate.",
    length: 1...256)
  package var listen = "127.0.0.1:8080"
  @Setting("The most frames a second that a browser is given.", in: 1...60)
  package var rate = 20
  @Setting("How long a table keeps its order before rows take the places that are due to them.", in: .milliseconds(50) ... .seconds(60))
  package var calm = Duration.seconds(1)
  @Setting("The most browser tabs at a time.", in: 1...10_000)
  package var clients = 1000
  @Setting(
    "The most symbols that have a row. Further ones are counted, and have one from the next price on once somebody asks for them; the run's instruments always have one.",
    in: 1...4_000_000)
  package var symbols = 200_000
  @Setting(
    "How much memory the last trades, seconds and bars of all symbols may take, about; where it is full, the oldest go of symbols that nobody has looked at for the longest time.",
    in: .mebibytes(1) ... .gibibytes(1024))
  package var memory = ByteSize.mebibytes(128)
  @Setting(
    "Who may use the page: none lets everybody on this machine in as one local user; with invitation, open and closed people log in, and who signs up needs an invitation, needs nothing, or cannot."
  )
  package var accounts = PageAccounts.none
  @Setting(
    "The names and addresses by which browsers elsewhere reach it, without ports, such as stocks.example.org; needs accounts.",
    count: 0...64)
  package var names: [String] = []
  @Setting(
    "Whether a proxy on this machine, such as nginx or Caddy, serves it to others by TLS and tells who asks in X-Forwarded-For and X-Forwarded-Proto; needs accounts."
  )
  package var proxy = false
  @Setting("The certificate for TLS with the intermediate ones, a PEM file; needs 'key'.", length: 1...)
  package var certificate: String?
  @Setting("The private key of the certificate, a PEM file.", length: 1...)
  package var key: String?

  @Setting(
    "The database file that keeps the page's watchlists and settings, such as the history's; without it stockbus/dashboard.db in XDG_STATE_HOME or ~/.local/state; - keeps nothing.",
    length: 1...)
  package var file: String?

  package init() {}

  /// The file's path; nil if nothing is kept.
  var path: String? {
    switch file {
    case "-": nil
    case let file?: file
    case nil: usualStatePath("dashboard.db")
    }
  }

  package func validate(_ problems: inout OptionProblems) {
    guard let address = ListenAddress(listen) else {
      return problems.add("'listen' must be an address and a port, such as 127.0.0.1:8080 or [::1]:8080, got '\(listen)'", at: "listen")
    }
    if (certificate == nil) != (key == nil) {
      let (given, missing) = certificate == nil ? ("key", "certificate") : ("certificate", "key")
      problems.add("'\(given)' is there without '\(missing)'", at: given)
    }
    for name in names
    where name.isEmpty || name.utf8.contains(where: { $0 <= 32 || $0 == 47 }) || name.contains(":") && !name.hasPrefix("[") {
      problems.add("'names' has \(shown(name)): write a name or an address without a port, IPv6 in brackets", at: "names")
    }
    if accounts == .none {
      if !address.isLoopback {
        problems.add(
          "'listen' is '\(listen)', which other machines can reach, and the page has no accounts: listen on 127.0.0.1, or set 'accounts' and a 'certificate'",
          at: "listen")
      }
      for (name, isGiven) in [("names", !names.isEmpty), ("proxy", proxy)] where isGiven {
        problems.add("'\(name)' lets others reach the page, and it has no accounts: set 'accounts: invitation'", at: name)
      }
    } else {
      if file == "-" { problems.add("'file: -' keeps nothing, and accounts have to be kept: name a database file", at: "file") }
      if !address.isLoopback, certificate == nil {
        problems.add(
          "'listen' is '\(listen)', which other machines can reach, and passwords would be sent for everybody on the way to read: set 'certificate' and 'key', or listen on 127.0.0.1 with 'proxy: true' behind a proxy that has TLS",
          at: "listen")
      }
    }
  }

  package var files: [FileUse] {
    [("certificate", certificate), ("key", key)].compactMap { name, path in path.map { .reading($0, at: name, takesStream: false) } }
  }
}
