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
    "The address of the page, as HOST:PORT; port 0 is any free port. An address that other machines can reach needs accounts and a certificate.",
    length: 1...256)
  package var listen = "127.0.0.1:8080"
  @Setting("The most frames a second that are sent to a browser.", in: 1...60)
  package var rate = 20
  @Setting("How long a table keeps its order before its rows move to their new places.", in: .milliseconds(50) ... .seconds(60))
  package var calm = Duration.seconds(1)
  @Setting("The most browser tabs at a time.", in: 1...10_000)
  package var clients = 1000
  @Setting(
    "The most symbols that have a row. Further symbols are counted, and get a row with their next price once somebody opens them; the run's instruments always have one.",
    in: 1...4_000_000)
  package var symbols = 200_000
  @Setting(
    "About how much memory the last trades and bars of all symbols may take; beyond it the oldest ones of the symbols not looked at for longest are removed.",
    in: .mebibytes(1) ... .gibibytes(1024))
  package var memory = ByteSize.mebibytes(128)
  @Setting(
    "Who may use the page. none: everybody on this machine, as one local user. Otherwise people log in, and a new account needs an invitation (invitation), needs nothing (open), or is made by 'account add' only (closed)."
  )
  package var accounts = PageAccounts.none
  @Setting(
    "The host names and addresses under which browsers on other machines reach the page, without ports, such as stocks.example.org; needs accounts.",
    count: 0...64)
  package var names: [String] = []
  @Setting(
    "Whether a proxy on this machine, such as nginx or Caddy, serves the page over TLS and names the client in X-Forwarded-For and X-Forwarded-Proto; needs accounts."
  )
  package var proxy = false
  @Setting("The certificate chain for TLS, a PEM file; needs 'key'.", length: 1...)
  package var certificate: String?
  @Setting("The private key of the certificate, a PEM file.", length: 1...)
  package var key: String?

  @Setting(
    "The database file that keeps the page's watchlists and settings; it may be that of the history. By default stockbus/dashboard.db in XDG_STATE_HOME or ~/.local/state; with - nothing is kept.",
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
      problems.add("'\(given)' needs '\(missing)'", at: given)
    }
    for name in names
    where name.isEmpty || name.utf8.contains(where: { $0 <= 32 || $0 == 47 }) || name.contains(":") && !name.hasPrefix("[") {
      problems.add("'names': got \(shown(name)); write a host name or an IP address, without a port, and IPv6 in brackets", at: "names")
    }
    if accounts == .none {
      if !address.isLoopback {
        problems.add(
          "'listen' is '\(listen)', which other machines can reach, and the page has no accounts: listen on 127.0.0.1, or set 'accounts' and a 'certificate'",
          at: "listen")
      }
      for (name, isGiven) in [("names", !names.isEmpty), ("proxy", proxy)] where isGiven {
        problems.add("with '\(name)' other machines can reach the page, and it has no accounts: set 'accounts: invitation'", at: name)
      }
    } else {
      if file == "-" { problems.add("with 'file: -' nothing is kept, and accounts must be: name a database file", at: "file") }
      if !address.isLoopback, certificate == nil {
        problems.add(
          "'listen' is '\(listen)', which other machines can reach, and passwords would be sent unencrypted: set 'certificate' and 'key', or listen on 127.0.0.1 with 'proxy: true' behind a proxy that has TLS",
          at: "listen")
      }
    }
  }

  package var files: [FileUse] {
    [("certificate", certificate), ("key", key)].compactMap { name, path in path.map { .reading($0, at: name, takesStream: false) } }
  }
}
